import { useEffect, useRef } from "react";
import { isLost } from "../ui/arrival";

const buttons = ["proposal-apply", "proposal-decline", "plan-apply", "plan-decline"].map((id) => `[data-testid=${id}]`);
const decisions = buttons.join(", ");
const cards = "[data-testid=proposal-card], [data-testid=plan-card]";
const open = new Set(["proposed", "applying", "loading"]);

const isBusy = (button: HTMLButtonElement) => button.getAttribute("aria-busy") === "true";

/**
 * Moves the focus once a person's decision is settled, as the button that they pressed is gone: to the next open card,
 * never to its buttons, which a second press of Enter would hit; else to where `otherwise` puts it; else to the card.
 * After a refusal the button keeps or regains it. A focus that the person has moved meanwhile stays.
 */
export function useFocusAfterDecision(otherwise: () => boolean): void {
  const last = useRef(otherwise);
  useEffect(() => {
    last.current = otherwise;
  });
  useEffect(() => {
    let observer: MutationObserver | undefined;
    const end = () => observer?.disconnect();
    const onClick = (event: MouseEvent) => {
      const button = event.target instanceof Element && event.target.closest<HTMLButtonElement>(decisions);
      const card = button && button.closest<HTMLElement>(cards);
      if (!card || isBusy(button)) return;
      end();
      let sent = false;
      observer = new MutationObserver(() => {
        const waits = card.isConnected && open.has(card.dataset.status ?? "loading");
        if (!waits) {
          if (!isLost()) return;
          end();
          focusNext(card, last.current);
          return;
        }
        sent ||= isBusy(button);
        if (!sent || !button.isConnected || isBusy(button) || button.disabled) return;
        end();
        if (isLost()) button.focus();
      });
      const what = { subtree: true, childList: true, attributeFilter: ["data-status", "disabled", "aria-busy"] };
      observer.observe(document.getElementById("main") ?? document.body, what);
    };
    document.addEventListener("click", onClick, true);
    return () => {
      document.removeEventListener("click", onClick, true);
      end();
    };
  }, []);
}

function focusNext(decided: HTMLElement, otherwise: () => boolean): void {
  const next = [...document.querySelectorAll<HTMLElement>(cards)].find((card) =>
    card.querySelector(buttons.map((button) => `${button}:enabled:not([aria-busy="true"])`).join(", ")),
  );
  if (!next && otherwise()) return;
  if (next) focusOn(next);
  else if (decided.isConnected) focusOn(decided);
  else focusHeading();
}

/** Puts the focus on the heading of the page, for one whose cards leave it when they are decided. */
export function focusHeading(): boolean {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (heading) focusOn(heading);
  return heading !== null;
}

function focusOn(element: HTMLElement): void {
  element.tabIndex = -1;
  element.focus();
}
