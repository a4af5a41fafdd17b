import { ConfirmDialog } from "./Dialog";

interface DiscardDialogProps {
  onStay: () => void;
  onDiscard: () => void;
}

/** Asks before what somebody has typed is lost. */
export function DiscardDialog({ onStay, onDiscard }: DiscardDialogProps) {
  return (
    <ConfirmDialog
      cancelLabel="Go on"
      confirmLabel="Discard"
      onClose={onStay}
      onConfirm={onDiscard}
      testId="discard-dialog"
      title="Discard what you have entered?"
    >
      It is not saved yet.
    </ConfirmDialog>
  );
}
