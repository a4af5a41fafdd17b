import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { Button, IconButton } from "./Button";
import { ErrorNotice } from "./Notice";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  testId?: string;
  wide?: boolean;
}

const fields = "input:enabled, select:enabled, textarea:enabled";

/**
 * A modal on the native dialog element: the browser keeps the focus inside,
 * closes it on Escape and gives the focus back. The first field has the focus. Mount it to open it.
 */
export function Dialog({ title, onClose, children, testId, wide }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const heading = useId();

  // A layout effect, as only a dialog that is closed before it is removed gives the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    // The browser would choose the first button, which closes it.
    body.current?.querySelector<HTMLElement>(fields)?.focus();
    return () => dialog?.close();
  }, []);

  return (
    <dialog
      aria-labelledby={heading}
      className={`rise m-auto max-h-[90dvh] w-[calc(100%-2rem)] overflow-y-auto rounded-2xl border bg-card p-0 text-card-foreground shadow-floating backdrop:bg-black/40 ${wide ? "max-w-2xl" : "max-w-md"}`}
      data-testid={testId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      ref={element}
    >
      <div className="flex items-center justify-between gap-4 px-5 pt-4">
        <h2 className="text-base font-semibold" id={heading}>
          {title}
        </h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <div className="px-5 pt-2 pb-5" ref={body}>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmDialogProps {
  title: string;
  children: ReactNode;
  confirmLabel: string;
  busy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({ title, children, confirmLabel, busy, error, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <Dialog onClose={onClose} testId="confirm-dialog" title={title}>
      <div className="text-sm text-muted-foreground">{children}</div>
      <ErrorNotice className="mt-3" error={error} />
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button busy={busy} data-testid="confirm-dialog-confirm" onClick={onConfirm} variant="danger">
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
