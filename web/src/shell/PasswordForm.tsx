import { useState } from "react";
import { changePassword, signInsQuery } from "../api/account";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { ErrorNotice } from "../ui/Notice";

const leastPassword = 8;
const longestPassword = 256;
const blank = { currentPassword: "", newPassword: "", repeated: "" };

interface PasswordFormProps {
  email: string;
  onChanged: () => void;
  /** Whether nothing else is to be done on the page, so that one begins to type at once. */
  alone?: boolean;
}

/** The fields for a new password of one's own. */
export function PasswordForm({ email, onChanged, alone }: PasswordFormProps) {
  const [fields, setFields] = useState(blank);
  const change = useWrite({
    send: ({ currentPassword, newPassword }: typeof blank) => changePassword({ currentPassword, newPassword }),
    invalidates: [signInsQuery.queryKey],
    onSuccess: () => {
      setFields(blank);
      onChanged();
    },
  });
  const different = fields.repeated !== "" && fields.repeated !== fields.newPassword;
  const set = (changes: Partial<typeof blank>) => setFields({ ...fields, ...changes });
  return (
    <form
      className="flex max-w-sm flex-col gap-3"
      data-testid="password-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!different) change.mutate(fields);
      }}
    >
      {/* Tells a password manager whose password this is. */}
      <input autoComplete="username" hidden readOnly type="text" value={email} />
      <TextField
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={alone}
        autoComplete="current-password"
        label="Current password"
        maxLength={longestPassword}
        onChange={(event) => set({ currentPassword: event.currentTarget.value })}
        required
        type="password"
        value={fields.currentPassword}
      />
      <TextField
        autoComplete="new-password"
        hint={`At least ${leastPassword} characters. All your other browsers are signed out.`}
        label="New password"
        maxLength={longestPassword}
        minLength={leastPassword}
        onChange={(event) => set({ newPassword: event.currentTarget.value })}
        required
        type="password"
        value={fields.newPassword}
      />
      <TextField
        aria-invalid={different}
        autoComplete="new-password"
        hint={different ? "The two are different." : undefined}
        label="New password again"
        maxLength={longestPassword}
        onChange={(event) => set({ repeated: event.currentTarget.value })}
        required
        type="password"
        value={fields.repeated}
      />
      <ErrorNotice error={change.error} />
      <Button
        busy={change.isPending}
        className="self-start"
        data-testid="change-password"
        disabled={different}
        type="submit"
        variant="primary"
      >
        Change password
      </Button>
    </form>
  );
}
