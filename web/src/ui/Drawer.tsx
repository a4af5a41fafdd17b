import { Drawer as Base } from "@base-ui/react/drawer";
import type { ReactNode } from "react";

interface DrawerProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
  /** Navigation comes from the left; details from the right, with more room. */
  side?: "left" | "right";
}

const sides = {
  left: { viewport: "justify-start", popup: "w-72 max-w-[85vw] border-r" },
  right: { viewport: "justify-end", popup: "w-lg max-w-[95vw] border-l" },
};

/** A panel from an edge of the screen; closes on Escape, on a tap beside it, and on a swipe towards its edge. */
export function Drawer({ label, onClose, children, side = "left" }: DrawerProps) {
  return (
    <Base.Root onOpenChange={(open) => !open && onClose()} open swipeDirection={side}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Viewport className={`fixed inset-0 z-40 flex ${sides[side].viewport}`}>
          <Base.Popup
            aria-label={label}
            className={
              `h-dvh ${sides[side].popup} translate-x-(--drawer-swipe-movement-x) overflow-y-auto bg-background ` +
              "text-foreground shadow-floating outline-none"
            }
          >
            <Base.Content className="h-full">{children}</Base.Content>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
