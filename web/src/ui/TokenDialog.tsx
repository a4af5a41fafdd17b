import { Button } from "./Button";
import { useCopied } from "./copied";
import { Dialog } from "./Dialog";

interface TokenDialogProps {
  title: string;
  /** Created token or link. */
  token: string;
  hint?: string;
  testIds?: { dialog: string; token: string };
  onClose: () => void;
}

const ofApplications = { dialog: "token-dialog", token: "application-token" };

/** Shows a new secret that cannot be read again. */
export function TokenDialog({
  title,
  token,
  hint = "Copy it now. It is shown this once and cannot be read again.",
  testIds = ofApplications,
  onClose,
}: TokenDialogProps) {
  const { copied, copy } = useCopied();
  return (
    <Dialog onClose={onClose} stays testId={testIds.dialog} title={title}>
      <p className="text-sm text-muted-foreground">{hint}</p>
      <code
        className="mt-3 block rounded-lg border bg-muted p-3 font-mono text-xs break-all select-all"
        data-testid={testIds.token}
      >
        {token}
      </code>
      <div className="mt-4 flex justify-end gap-2">
        <Button data-first="" icon={copied ? "check" : "copy"} onClick={() => copy(token)}>
          {copied ? "Copied" : "Copy"}
        </Button>
        <Button onClick={onClose} variant="primary">
          Done
        </Button>
      </div>
    </Dialog>
  );
}
