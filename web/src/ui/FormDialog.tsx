import type { ReactNode } from "react";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ErrorNotice } from "./Notice";

interface FormDialogProps {
  title: string;
  submitLabel: string;
  busy: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  wide?: boolean;
  children: ReactNode;
}

/** A form in a modal, with the server's refusal above its buttons. */
export function FormDialog({ title, submitLabel, busy, error, onSubmit, onClose, wide, children }: FormDialogProps) {
  return (
    <Dialog onClose={onClose} testId="form-dialog" title={title} wide={wide}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        <ErrorNotice error={error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={busy} data-testid="form-submit" type="submit" variant="primary">
            {submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
