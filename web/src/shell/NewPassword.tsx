import { leastPassword, longestPassword } from "../api/entrance";
import { TextField } from "../ui/Field";

/** New password, typed twice, as the characters are hidden. */
export interface NewPassword {
  password: string;
  repeated: string;
}

export const noPassword: NewPassword = { password: "", repeated: "" };

/** Whether the second has been begun and is not the first. */
export const areDifferent = ({ password, repeated }: NewPassword) => repeated !== "" && repeated !== password;

interface NewPasswordFieldsProps {
  value: NewPassword;
  onChange: (value: NewPassword) => void;
  /** Further consequence of the change. */
  hint?: string;
}

/** The two fields of a new password. */
export function NewPasswordFields({ value, onChange, hint }: NewPasswordFieldsProps) {
  return (
    <>
      <TextField
        autoComplete="new-password"
        hint={[`At least ${leastPassword} characters.`, hint].filter(Boolean).join(" ")}
        label="New password"
        maxLength={longestPassword}
        minLength={leastPassword}
        onChange={(event) => onChange({ ...value, password: event.currentTarget.value })}
        required
        type="password"
        value={value.password}
      />
      <TextField
        autoComplete="new-password"
        issue={areDifferent(value) ? "The passwords do not match." : undefined}
        label="Repeat new password"
        maxLength={longestPassword}
        onChange={(event) => onChange({ ...value, repeated: event.currentTarget.value })}
        required
        type="password"
        value={value.repeated}
      />
    </>
  );
}
