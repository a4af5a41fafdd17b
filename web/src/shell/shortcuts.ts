import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

export const shortcuts = [
  { keys: "/", does: "Focus the message box, or the search field of a list; in the empty message box, choose a skill" },
  { keys: "g c", does: "Go to the chat" },
  { keys: "g p", does: "Go to the proposals" },
  { keys: "g s", does: "Go to the systems" },
  { keys: "g t", does: "Go to the teams" },
  { keys: "g d", does: "Go to the documentation" },
  { keys: "Enter", does: "Send the message" },
  { keys: "Ctrl Enter", does: "Run the script, on the page of scripts; run the tool, in the tool studio" },
  { keys: "Ctrl S", does: "Save the tool, in the tool studio" },
  { keys: "Shift Enter", does: "Start a new line" },
  { keys: "Esc", does: "Stop the answer, or close a dialog" },
  { keys: "?", does: "Show this help" },
] as const;

const sequenceMilliseconds = 1_200;

export type ShortcutAction = "focus" | "help" | "chat" | "proposals" | "systems" | "teams" | "docs";

const single: Record<string, ShortcutAction> = { "/": "focus", "?": "help" };
const afterG: Record<string, ShortcutAction> = { c: "chat", p: "proposals", s: "systems", t: "teams", d: "docs" };

/** Recognises single keys and the two-key sequences that begin with g. */
export class KeySequence {
  #startedAt = Number.NEGATIVE_INFINITY;

  press(key: string, at: number): ShortcutAction | null {
    const pending = at - this.#startedAt < sequenceMilliseconds;
    this.#startedAt = Number.NEGATIVE_INFINITY;
    if (pending && afterG[key]) return afterG[key];
    if (key === "g") this.#startedAt = at;
    return single[key] ?? null;
  }
}

/** Listens for shortcuts while nothing is being typed. */
export function useShortcuts(onHelp: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    const sequence = new KeySequence();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const action = sequence.press(event.key, event.timeStamp);
      if (!action) return;
      event.preventDefault();
      switch (action) {
        case "focus":
          document.querySelector<HTMLElement>("#composer, [type=search]")?.focus();
          break;
        case "help":
          onHelp();
          break;
        case "chat":
          void navigate({ to: "/chat", search: { last: true } });
          break;
        case "proposals":
          void navigate({ to: "/proposals", search: { status: "proposed" } });
          break;
        case "systems":
          void navigate({ to: "/catalog/systems", search: {} });
          break;
        case "teams":
          void navigate({ to: "/catalog/teams" });
          break;
        case "docs":
          void navigate({ to: "/docs", search: {} });
          break;
      }
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
}

const places = "input, textarea, select, [role=dialog], [role=alertdialog], [contenteditable]";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest(places) !== null;
}
