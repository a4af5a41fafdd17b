import { useState } from "react";
import { makePasswordLink, revokePasswordLink, usersKey, type MadeLink, type User } from "../api/people";
import { useAsks } from "../api/governed";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNotice } from "../ui/Notice";
import { fullTime } from "../ui/time";
import { TokenDialog } from "../ui/TokenDialog";

/** Creates a link to set a password, and shows it once to be passed on. */
export function PasswordLinkDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const [made, setMade] = useState<MadeLink | null>(null);
  const asks = useAsks("auth.updateUser");
  const invite = user.status === "invited";
  const make = useWrite({
    send: makePasswordLink,
    invalidates: [usersKey],
    onSuccess: setMade,
  });
  const revoke = useWrite({ send: revokePasswordLink, invalidates: [usersKey], onSuccess: onClose });
  if (made) return <MadeLinkDialog link={made} name={user.name} onClose={onClose} />;
  const blocked = asks === "off" || asks === "secondPerson" || asks === "maybeSecondPerson";
  return (
    <Dialog
      onClose={onClose}
      testId="password-link-dialog"
      title={invite ? `Invite ${user.name}` : `Reset the password of ${user.name}`}
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>
          {invite
            ? "Create a link for choosing their first password. It works once, within a week."
            : "Create a link for choosing a new password. It works once, within a day. Using it signs them out everywhere."}
        </p>
        <p className="text-muted-foreground">
          No e-mail is sent: pass the link on yourself. Anyone with the link can sign in as {user.name}.
        </p>
        {user.passwordLink && (
          <p data-testid="password-link-pending">
            An earlier link is valid until {fullTime(user.passwordLink.expiresAt)}. A new link replaces it.
          </p>
        )}
        {blocked && (
          <p className="rounded-lg bg-warning-soft p-3 text-warning" data-testid="password-link-blocked">
            {asks === "off"
              ? "An administrator has disabled account changes."
              : "A policy requires a second person for passwords, so links are unavailable. Edit the account and set " +
                "a password: that becomes a proposal."}
          </p>
        )}
        <ErrorNotice error={make.error ?? revoke.error} />
      </div>
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        {user.passwordLink && (
          <Button
            busy={revoke.isPending}
            data-testid="revoke-password-link"
            onClick={() => revoke.mutate(user)}
            variant="danger"
          >
            Revoke link
          </Button>
        )}
        <Button
          busy={make.isPending}
          data-testid="make-password-link"
          disabled={blocked}
          onClick={() => make.mutate(user)}
          variant="primary"
        >
          Create link
        </Button>
      </div>
    </Dialog>
  );
}

const testIds = { dialog: "made-link-dialog", token: "password-link" };

/** Shows a new link, which cannot be read again. */
function MadeLinkDialog({ link, name, onClose }: { link: MadeLink; name: string; onClose: () => void }) {
  return (
    <TokenDialog
      hint={`Copy it now: it is shown once. It works once, until ${fullTime(link.expiresAt)}.`}
      onClose={onClose}
      testIds={testIds}
      title={`Link for ${name}`}
      token={location.origin + link.path}
    />
  );
}
