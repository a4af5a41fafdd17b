import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { loaded } from "../api/reach";
import { meQuery, type Principal } from "../api/session";

const sequenceMilliseconds = 1_200;

export type ShortcutAction =
  | "focus"
  | "help"
  | "new"
  | "apply"
  | "decline"
  | "chat"
  | "proposals"
  | "systems"
  | "teams"
  | "docs";

const single: Record<string, ShortcutAction> = { "/": "focus", "?": "help", n: "new", a: "apply", d: "decline" };
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

interface Shells {
  onHelp: () => void;
  onPalette: () => void;
}

/** Listens for shortcuts while nothing is being typed, and for that of the palette always. */
export function useShortcuts(shells: Shells): void {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const latest = useRef(shells);
  useEffect(() => {
    latest.current = shells;
  });
  useEffect(() => {
    const sequence = new KeySequence();
    const onKeyDown = (event: KeyboardEvent) => {
      if (opensPalette(event)) {
        event.preventDefault();
        latest.current.onPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const action = sequence.press(event.key, event.timeStamp);
      if (!action) return;
      event.preventDefault();
      switch (action) {
        case "focus":
          (document.getElementById("composer") ?? document.querySelector<HTMLElement>("[type=search]"))?.focus();
          break;
        case "help":
          latest.current.onHelp();
          break;
        case "new":
          void startChat(queryClient.getQueryData(meQuery.queryKey), navigate);
          break;
        case "apply":
        case "decline":
          goToDecision(action);
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

/** Opens the chat that exists only on the screen until its first message. */
export async function startChat(me: Principal | undefined, navigate: ReturnType<typeof useNavigate>): Promise<void> {
  const { beginChat } = await loaded(() => import("../chat/newchat"));
  beginChat(me?.id ?? "");
  await navigate({ to: "/chat", search: {} });
  document.getElementById("composer")?.focus();
}

type Keys = Pick<KeyboardEvent, "key" | "altKey" | "shiftKey" | "ctrlKey" | "metaKey">;

/** Ctrl+K, or Cmd+K. */
export const isPaletteKey = ({ key, altKey, shiftKey, ctrlKey, metaKey }: Keys): boolean =>
  key.toLowerCase() === "k" && !altKey && !shiftKey && ctrlKey !== metaKey;

/** Not in a dialog, not where a code editor has a meaning for it, and not by the key that has just closed it. */
function opensPalette(event: KeyboardEvent): boolean {
  if (!isPaletteKey(event) || event.defaultPrevented) return false;
  if (document.querySelector("[role=dialog], [role=alertdialog]")) return false;
  return !(event.target instanceof Element && event.target.closest(".monaco-editor"));
}

/**
 * Puts the focus on a button of the newest card that can be decided. It presses nothing: a change that is applied by a slip of
 * one key would be no decision.
 */
function goToDecision(decision: "apply" | "decline"): void {
  const buttons = document.querySelectorAll<HTMLButtonElement>(
    `[data-testid=proposal-${decision}]:enabled, [data-testid=plan-${decision}]:enabled`,
  );
  // The inbox has the newest first, a chat has it last.
  const newest = document.querySelector("[data-testid=message-list]") ? buttons[buttons.length - 1] : buttons[0];
  newest?.focus();
}

/** A code editor is an element of its own in browsers that have edit contexts: neither a field nor editable by its markup. */
const places = "input, textarea, select, [role=dialog], [role=alertdialog], [contenteditable], [role=textbox]";

/** Whether a key that goes there is part of a text, or of a dialog. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest(places) !== null;
}
