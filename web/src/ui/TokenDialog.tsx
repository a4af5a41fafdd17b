import { useState } from "react";
import { Button } from "./Button";
import { Dialog } from "./Dialog";

interface TokenDialogProps {
  title: string;
  token: string;
  onClose: () => void;
}

/** Shows a token that was just made, which nobody can read again. */
export function TokenDialog({ title, token, onClose }: TokenDialogProps) {
  const [copied, setCopied] = useState(false);
  return (
    <Dialog onClose={onClose} testId="token-dialog" title={title}>
      <p className="text-sm text-muted-foreground">Copy it now. It is shown this once and cannot be read again.</p>
      <code
        className="mt-3 block rounded-lg border bg-muted p-3 font-mono text-xs break-all select-all"
        data-testid="application-token"
      >
        {token}
      </code>
      <div className="mt-4 flex justify-end gap-2">
        <Button
          icon={copied ? "check" : "copy"}
          onClick={() => void navigator.clipboard?.writeText(token).then(() => setCopied(true))}
        >
          {copied ? "Copied" : "Copy"}
        </Button>
        <Button onClick={onClose} variant="primary">
          Done
        </Button>
      </div>
    </Dialog>
  );
}
