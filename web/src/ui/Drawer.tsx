import { useLayoutEffect, useRef, type ReactNode } from "react";

interface DrawerProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
  /** Navigation comes from the left; details from the right, with more room. */
  side?: "left" | "right";
}

const sides = { left: "m-0 w-72 max-w-[85vw] border-r", right: "m-0 ml-auto w-lg max-w-[95vw] border-l" };

/** A panel from an edge of the screen; closes on Escape and on a tap beside it. */
export function Drawer({ label, onClose, children, side = "left" }: DrawerProps) {
  const element = useRef<HTMLDialogElement>(null);
  // Closed before it leaves the document, a dialog gives the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // The backdrop is part of the dialog; Escape is the keyboard's way out.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <dialog
      aria-label={label}
      className={`h-dvh max-h-none ${sides[side]} bg-background p-0 text-foreground shadow-floating backdrop:bg-black/40`}
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
