import { useEffect, useRef } from "react";
import { focusComposer } from "./Composer";

/** A phone's keyboard would cover half of the chat. */
export const typesOnGlass = (): boolean => window.matchMedia?.("(width < 48rem), (pointer: coarse)").matches ?? false;

/** Whether the focus has only arrived from elsewhere: it is nowhere, or on the link that opened this chat. */
function isArriving(): boolean {
  const element = document.activeElement;
  if (!element || element === document.body) return true;
  return element.closest("[data-testid=conversation-list] a, [data-testid=new-chat], nav[aria-label=Main]") !== null;
}

/** Puts the cursor into the message box when a chat is opened; a question or a message that has the focus by then keeps it. */
export function useComposerFocus(wanted: boolean): void {
  const first = useRef(wanted);
  useEffect(() => {
    if (first.current && !typesOnGlass() && isArriving()) focusComposer();
  }, []);
}

/** Layers that close on Escape themselves come first. */
const layers = "[role=dialog], [role=alertdialog], [role=listbox], [role=menu]";

/** Escape stops the answer wherever the focus is in the chat. */
export function useStopKey(active: boolean, onStop: () => void): void {
  const stop = useRef(onStop);
  useEffect(() => {
    stop.current = onStop;
  });
  useEffect(() => {
    if (!active) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (typing || document.querySelector(layers)) return;
      event.preventDefault();
      stop.current();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [active]);
}
