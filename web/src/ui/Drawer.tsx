import { useEffect, useRef, type ReactNode } from "react";

/** A panel from the left edge for narrow screens; closes on Escape and on a tap beside it. */
export function Drawer({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // The backdrop is part of the dialog; Escape is the keyboard's way out.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <dialog
      aria-label={label}
      className="m-0 h-dvh max-h-none w-72 max-w-[85vw] border-r bg-background p-0 text-foreground shadow-floating backdrop:bg-black/40"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      ref={element}
    >
      <div className="h-full">{children}</div>
    </dialog>
  );
}
