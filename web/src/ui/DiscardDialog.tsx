import { ConfirmDialog } from "./Dialog";

interface DiscardDialogProps {
  /** It would be lost because the session is over. */
  signedOut?: boolean;
  onStay: () => void;
  onDiscard: () => void;
}

/** Asks before typed text is lost. */
export function DiscardDialog({ signedOut = false, onStay, onDiscard }: DiscardDialogProps) {
  return (
    <ConfirmDialog
      cancelLabel="Keep editing"
      confirmLabel="Discard"
      onClose={onStay}
      onConfirm={onDiscard}
      testId="discard-dialog"
      title={signedOut ? "Your session has ended" : "Discard your changes?"}
    >
      {signedOut ? (
        <>
          Your changes are not saved yet.{" "}
          <a className="underline underline-offset-2" href="/sign-in" rel="noreferrer" target="_blank">
            Sign in in another tab
          </a>
          , then continue here and save.
        </>
      ) : (
        "It is not saved yet."
      )}
    </ConfirmDialog>
  );
}
