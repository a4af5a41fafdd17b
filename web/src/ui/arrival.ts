import { useEffect, useRef } from "react";

/** Whether the focus is nowhere, as what had it is gone. */
export const isLost = () => !document.activeElement || document.activeElement === document.body;

let led = false;

/** To be called where something that was made leads to its page: the form that had the focus is gone then. */
export function leadOn(): void {
  led = true;
}

/** Gives the focus to the heading of a page after navigation, unless the user has moved it meanwhile. */
export function useArrivingHeading() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (led && isLost() && heading.current) {
      heading.current.tabIndex = -1;
      heading.current.focus({ preventScroll: true });
    }
    led = false;
  }, []);
  return heading;
}
