import { Tooltip } from "@base-ui/react/tooltip";
import { useEffect, useRef, useState } from "react";

const hoverMilliseconds = 600;
/** Long enough to move the pointer onto the tooltip. */
const leaveMilliseconds = 100;

/**
 * Tooltip of the page, once at the root: an element with the attribute data-hint shows its text on hover and on
 * keyboard focus. Content that only the hint has must be in the element's label, too. Elements need no code of it, so
 * it is loaded beside the first page.
 */
export function Tooltips() {
  const [shown, setShown] = useState<HTMLElement | null>(null);
  const popup = useRef<HTMLDivElement>(null);
  const current = useRef<HTMLElement | null>(null);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const change = (element: HTMLElement | null, milliseconds: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        current.current = element?.isConnected ? element : null;
        setShown(current.current);
      }, milliseconds);
    };
    const hinted = ({ target }: Event) =>
      target instanceof Element ? target.closest<HTMLElement>("[data-hint]") : null;
    const onOver = (event: PointerEvent) => {
      if (event.pointerType === "touch") return;
      const element = hinted(event);
      const stays =
        element === current.current || (event.target instanceof Node && popup.current?.contains(event.target));
      if (element && !stays) change(element, current.current ? 0 : hoverMilliseconds);
      else if (stays) clearTimeout(timer);
      else change(null, leaveMilliseconds);
    };
    const onFocus = (event: FocusEvent) => {
      const element = hinted(event);
      if (element?.matches(":focus-visible")) change(element, 0);
    };
    const hide = () => change(null, 0);
    const leave = new AbortController();
    const { signal } = leave;
    document.addEventListener("pointerover", onOver, { signal });
    document.addEventListener("pointerdown", hide, { signal });
    document.addEventListener("focusin", onFocus, { signal });
    document.addEventListener("focusout", hide, { signal });
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, []);

  const close = () => {
    current.current = null;
    setShown(null);
  };
  return (
    <Tooltip.Root onOpenChange={(open) => !open && close()} open={shown !== null}>
      <Tooltip.Portal>
        <Tooltip.Positioner anchor={shown} className="z-50 data-anchor-hidden:invisible" sideOffset={6}>
          <Tooltip.Popup
            className="max-w-72 rounded-md bg-foreground px-2 py-1 text-xs wrap-anywhere text-background shadow-floating"
            data-testid="tooltip"
            ref={popup}
          >
            {shown?.dataset.hint}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
