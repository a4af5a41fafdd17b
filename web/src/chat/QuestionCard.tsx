import { useEffect, useId, useRef, type KeyboardEvent } from "react";
import type { QuestionData } from "../api/conversations";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { composerId, focusComposer } from "./Composer";
import { useKept } from "./kept";
import { typesOnGlass } from "./keys";
import { answerOf } from "./questions";

interface QuestionCardProps {
  question: QuestionData;
  /** By which an answer that is typed and not sent is kept. */
  field?: string;
  /** Operator's next message, or null before it. */
  reply: string | null;
  /** An answer can be sent now. */
  ready: boolean;
  /** The question has neither an answer nor been overtaken by a newer one. */
  open: boolean;
  /** It has come while the conversation was on the screen. */
  fresh: boolean;
  onAnswer: (text: string) => void;
}

const longestAnswer = 500;

/** A question of the assistant: answers to pick with a click or a number key, and a field for another one. */
export function QuestionCard(props: QuestionCardProps) {
  const { question, reply, ready, open, fresh, onAnswer } = props;
  const heading = useId();
  const field = useRef<HTMLInputElement>(null);
  const chips = useRef<(HTMLButtonElement | null)[]>([]);
  const { text, write, forget } = useKept(props.field ?? "");
  const chosen = reply === null ? -1 : question.options.findIndex((option) => same(answerOf(option), reply));
  const answerable = open && ready;
  useArrival(answerable && fresh, () => (chips.current[0] ?? field.current)?.focus());

  const answer = (content: string) => {
    if (!answerable || content.trim() === "") return;
    forget();
    onAnswer(content.trim());
    // The focused option takes no further answer.
    if (!typesOnGlass()) focusComposer();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!answerable || event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
    const inField = event.target === field.current;
    const at = chips.current.indexOf(event.target as HTMLButtonElement);
    const option = inField ? undefined : question.options[Number(event.key) - 1];
    const step =
      event.key === "ArrowRight" || event.key === "ArrowDown"
        ? 1
        : event.key === "ArrowLeft" || event.key === "ArrowUp"
          ? -1
          : 0;
    if (option) {
      event.preventDefault();
      answer(answerOf(option));
    } else if (step !== 0 && at >= 0) {
      event.preventDefault();
      const count = question.options.length;
      chips.current[(at + step + count) % count]?.focus();
    } else if (at >= 0 && event.key.length === 1 && event.key !== " ") {
      // Typing starts an answer; the field takes this character too.
      (field.current ?? document.getElementById(composerId))?.focus();
    }
  };

  return (
    // The keys work for the controls inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      aria-labelledby={heading}
      className={`rise rounded-xl border border-l-4 bg-card px-4 pt-3 pb-4 shadow-raised ${open ? "border-l-primary" : "border-l-border"}`}
      data-status={reply !== null ? "answered" : open ? "open" : "closed"}
      data-testid="question-card"
      onKeyDown={onKeyDown}
      role="group"
    >
      <p className="flex items-start gap-2 font-medium wrap-anywhere whitespace-pre-wrap" id={heading}>
        <Icon className={`mt-1 ${open ? "text-primary" : "text-muted-foreground"}`} name="help" size={16} />
        <span>{question.question}</span>
      </p>
      <ul className="mt-3 flex flex-wrap gap-2">
        {question.options.map((option, index) => (
          <li className="max-w-full" key={option.label}>
            <button
              aria-keyshortcuts={answerable ? String(index + 1) : undefined}
              aria-pressed={open ? undefined : index === chosen}
              className={
                "inline-flex min-h-9 max-w-full items-center gap-2 rounded-full border px-3 py-1.5 text-left text-sm " +
                `transition-colors ${chipStyle(open, index === chosen)}`
              }
              data-testid="question-option"
              disabled={!answerable}
              onClick={() => answer(answerOf(option))}
              ref={(element) => {
                chips.current[index] = element;
              }}
              type="button"
            >
              {index === chosen ? (
                <Icon name="check" size={15} />
              ) : (
                open && (
                  <kbd
                    aria-hidden="true"
                    className="rounded bg-muted px-1.5 font-sans text-xs text-muted-foreground pointer-coarse:hidden"
                  >
                    {index + 1}
                  </kbd>
                )
              )}
              <span className="min-w-0 wrap-anywhere">{option.label}</span>
            </button>
          </li>
        ))}
      </ul>
      {open && question.allowFreeText && (
        <form
          className="mt-3 flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            answer(text);
          }}
        >
          <input
            aria-label="Another answer"
            className="min-w-0 flex-1 rounded-lg border border-input bg-card px-3 py-1.5 text-sm placeholder:text-muted-foreground"
            data-testid="question-text"
            maxLength={longestAnswer}
            onChange={(event) => write(event.currentTarget.value)}
            placeholder="Another answer"
            ref={field}
            value={text}
          />
          <Button data-testid="question-send" disabled={!answerable || text.trim() === ""} type="submit">
            Answer
          </Button>
        </form>
      )}
      {!open && (
        <p className="mt-3 text-sm text-muted-foreground wrap-anywhere" data-testid="question-outcome">
          {reply === null
            ? "Not answered; replaced by a newer question."
            : chosen >= 0
              ? "Answered."
              : `Answered: ${clip(reply)}`}
        </p>
      )}
    </div>
  );
}

function chipStyle(open: boolean, chosen: boolean): string {
  if (chosen) return "border-primary bg-primary-soft font-medium text-primary";
  return open
    ? "border-input bg-card enabled:hover:border-primary enabled:hover:bg-primary-soft disabled:opacity-60"
    : "border-border text-muted-foreground";
}

/** Moves the focus once, when a new question can be answered, unless the operator is typing. */
function useArrival(answerable: boolean, focus: () => void): void {
  const arrived = useRef(false);
  const move = useRef(focus);
  useEffect(() => {
    move.current = focus;
  });
  useEffect(() => {
    if (!answerable || arrived.current) return;
    arrived.current = true;
    if (isIdle(document.activeElement)) move.current();
  }, [answerable]);
}

/** Whether nothing would be lost by moving the focus: it is nowhere, or in the empty message box. */
function isIdle(element: Element | null): boolean {
  if (!element || element === document.body) return true;
  return element.id === composerId && element instanceof HTMLTextAreaElement && element.value === "";
}

function same(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

function clip(text: string): string {
  const most = 160;
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
