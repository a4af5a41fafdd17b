import { useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import { Icon } from "../ui/Icon";

interface ComposerProps {
  text: string;
  onText: (text: string) => void;
  onSend: () => void;
  onStop: () => void;
  /** An answer is being written: sending waits, stopping is offered. */
  busy: boolean;
  stopping: boolean;
  /** Why nothing can be sent at all, such as a missing model connection. */
  blocked?: string;
  notice?: ReactNode;
  /** Opens the choice of a skill; typed when a slash in the empty box, which stays there, asked for it. */
  onSkills?: (typed: boolean) => void;
}

export const composerId = "composer";

/** Moves the cursor to the end of the message box. */
export function focusComposer(): void {
  const box = document.getElementById(composerId);
  if (!(box instanceof HTMLTextAreaElement)) return;
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
}

/** The message box: Enter sends, Shift+Enter breaks the line, Escape stops. */
export function Composer({ text, onText, onSend, onStop, busy, stopping, blocked, notice, onSkills }: ComposerProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const sendable = !busy && !blocked && text.trim() !== "";

  useLayoutEffect(() => {
    const area = box.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
    // The height depends on the text through the element.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [text]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (sendable) onSend();
    } else if (event.key === "Escape" && busy && !stopping) {
      event.preventDefault();
      onStop();
    } else if (event.key === "Escape" && !busy) {
      // Single keys work again.
      box.current?.blur();
    }
  };

  return (
    <div className="mx-auto w-full max-w-3xl px-4 pb-3 sm:px-6">
      {notice}
      <form
        className="flex items-end gap-2 rounded-2xl border border-input bg-card p-2 shadow-raised focus-within:border-primary"
        onSubmit={(event) => {
          event.preventDefault();
          if (sendable) onSend();
        }}
      >
        {onSkills && (
          <button
            aria-label="Choose a skill"
            className={
              "inline-flex size-9 items-center justify-center rounded-xl text-muted-foreground hover:bg-muted " +
              "hover:text-foreground disabled:opacity-40"
            }
            data-testid="open-skills"
            disabled={Boolean(blocked)}
            onClick={() => onSkills(false)}
            title="Choose a skill (/ in the empty box)"
            type="button"
          >
            <Icon name="skill" size={18} />
          </button>
        )}
        <textarea
          aria-describedby="composer-hint"
          aria-label="Message"
          className={
            "max-h-48 min-h-9 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none placeholder:truncate " +
            "placeholder:text-muted-foreground"
          }
          data-testid="composer"
          disabled={Boolean(blocked)}
          id={composerId}
          onChange={(event) => {
            const { value } = event.currentTarget;
            onText(value);
            if (value === "/" && text === "") onSkills?.(true);
          }}
          onKeyDown={onKeyDown}
          placeholder={blocked ?? "Ask about your systems, or ask for a change…"}
          ref={box}
          rows={1}
          value={text}
        />
        {busy ? (
          <button
            aria-label="Stop"
            className={
              "inline-flex size-9 items-center justify-center rounded-xl border border-input bg-card " +
              "hover:bg-muted disabled:opacity-50"
            }
            data-testid="stop"
            disabled={stopping}
            onClick={onStop}
            title="Stop (Esc)"
            type="button"
          >
            <Icon name="stop" size={18} />
          </button>
        ) : (
          <button
            aria-label="Send"
            className={
              "inline-flex size-9 items-center justify-center rounded-xl bg-primary text-primary-foreground " +
              "hover:bg-primary-strong disabled:opacity-40"
            }
            data-testid="send"
            disabled={!sendable}
            title="Send (Enter)"
            type="submit"
          >
            <Icon name="send" size={18} />
          </button>
        )}
      </form>
      <p className="mt-1.5 px-2 text-xs text-muted-foreground" id="composer-hint">
        {hint(busy, stopping, text)}
      </p>
    </div>
  );
}

function hint(busy: boolean, stopping: boolean, text: string): string {
  if (stopping) return "Stopping…";
  if (busy && text.trim() !== "") return "The assistant is still answering. Stop it with Esc, or wait and then send.";
  if (busy) return "The assistant is answering. Esc stops it.";
  return "Enter sends, Shift+Enter starts a new line.";
}
