import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import { useRef, type ReactNode } from "react";
import { Button, iconButtonShape } from "./Button";
import { Icon } from "./Icon";
import { ErrorNotice } from "./Notice";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  testId?: string;
  wide?: boolean;
  /** Disables Escape, because the content cannot be shown again. */
  stays?: boolean;
}

const fields = "input:enabled, select:enabled, textarea:enabled, [data-first]";

const backdrop = "fixed inset-0 z-40 bg-black/40";
const viewport = "fixed inset-0 z-40 flex items-center justify-center p-4";
const popup =
  "rise max-h-[90dvh] w-full overflow-y-auto rounded-2xl border bg-card text-card-foreground shadow-floating outline-none";
const heading = "text-base font-semibold";

/** A modal. Closes on Escape, unless it stays, and gives the focus back; its first field has the focus. Mount it to open it. */
export function Dialog({ title, onClose, children, testId, wide, stays }: DialogProps) {
  const body = useRef<HTMLDivElement>(null);
  return (
    // A press outside does not close it: it may hold much typed text.
    <Base.Root
      disablePointerDismissal
      onOpenChange={(open, { reason }) => {
        if (!open && !(stays && reason === "escape-key")) onClose();
      }}
      open
    >
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Viewport className={viewport}>
          <Base.Popup
            className={`${popup} ${wide ? "max-w-2xl" : "max-w-md"}`}
            data-modal=""
            data-testid={testId}
            initialFocus={() => body.current?.querySelector<HTMLElement>(fields) ?? true}
          >
            <div className="flex items-center justify-between gap-4 px-5 pt-4">
              <Base.Title className={heading}>{title}</Base.Title>
              <Base.Close aria-label="Close" className={iconButtonShape}>
                <Icon name="close" size={17} />
              </Base.Close>
            </div>
            <div className="px-5 pt-2 pb-5" ref={body}>
              {children}
            </div>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmDialogProps {
  title: string;
  children: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  busy?: boolean;
  /** It cannot be confirmed, for the reason that stands in the dialog. */
  disabled?: boolean;
  error?: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  testId?: string;
}

/** Asks before something that cannot be taken back. The harmless answer has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirmLabel, cancelLabel = "Cancel", busy, disabled, error, onConfirm, onClose } = props;
  const { testId = "confirm-dialog" } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root onOpenChange={(open) => !open && onClose()} open>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdrop} forceRender />
        <AlertDialog.Viewport className={viewport}>
          <AlertDialog.Popup
            className={`${popup} max-w-md px-5 pt-4 pb-5`}
            data-modal=""
            data-testid={testId}
            initialFocus={cancel}
          >
            <AlertDialog.Title className={heading}>{title}</AlertDialog.Title>
            <AlertDialog.Description className="mt-2 text-sm text-muted-foreground" render={<div />}>
              {children}
            </AlertDialog.Description>
            <ErrorNotice className="mt-3" error={error} />
            <div className="mt-5 flex justify-end gap-2">
              <Button onClick={onClose} ref={cancel}>
                {cancelLabel}
              </Button>
              <Button
                busy={busy}
                data-testid={`${testId}-confirm`}
                disabled={disabled}
                onClick={onConfirm}
                variant="danger"
              >
                {confirmLabel}
              </Button>
            </div>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
