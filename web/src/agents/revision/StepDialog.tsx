import type { ReactNode } from "react";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/Notice";

interface StepDialogProps {
  title: string;
  confirmLabel: string;
  busy: boolean;
  /** It cannot be done, for the reason that stands in the dialog. */
  disabled?: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Says what a step in the life of a revision means, and takes it. */
export function StepDialog(props: StepDialogProps) {
  return (
    <Dialog onClose={props.onClose} testId="step-dialog" title={props.title} wide>
      <div className="flex flex-col gap-3 text-sm">
        {props.children}
        <ErrorNotice error={props.error} />
        <div className="mt-2 flex justify-end gap-2">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button
            busy={props.busy}
            data-testid="step-confirm"
            disabled={props.disabled}
            onClick={props.onConfirm}
            variant="primary"
          >
            {props.confirmLabel}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
