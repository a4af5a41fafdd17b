import { useState } from "react";
import { signInsQuery } from "../api/account";
import { changePassword } from "../api/accountcalls";
import { longestPassword } from "../api/entrance";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { ErrorNotice } from "../ui/Notice";
import { areDifferent, NewPasswordFields, noPassword } from "./NewPassword";

interface PasswordFormProps {
  email: string;
  onChanged: () => void;
  /** Whether nothing else is to be done on the page, so that one begins to type at once. */
  alone?: boolean;
}

/** The fields for a new password of one's own. */
export function PasswordForm({ email, onChanged, alone }: PasswordFormProps) {
  const [currentPassword, setCurrentPassword] = useState("");
  const [chosen, setChosen] = useState(noPassword);
  const change = useWrite({
    send: changePassword,
    invalidates: [signInsQuery.queryKey],
    onSuccess: () => {
      setCurrentPassword("");
      setChosen(noPassword);
      onChanged();
    },
  });
  const different = areDifferent(chosen);
  return (
    <form
      className="flex max-w-sm flex-col gap-3"
      data-testid="password-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!different) change.mutate({ currentPassword, newPassword: chosen.password });
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
        onChange={(event) => setCurrentPassword(event.currentTarget.value)}
        required
        type="password"
        value={currentPassword}
      />
      <NewPasswordFields hint="All your other browsers are signed out." onChange={setChosen} value={chosen} />
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
