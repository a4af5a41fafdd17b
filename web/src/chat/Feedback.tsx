import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { feedbackQuery, giveFeedback, takeBackFeedback, type Feedback as Given, type Verdict } from "../api/feedback";
import { useWrite } from "../api/write";
import { isLost } from "../ui/arrival";
import { Button } from "../ui/Button";
import { TextArea } from "../ui/Field";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { useKept } from "./kept";

interface FeedbackProps {
  conversationId: string;
  turnId: string;
}

const mostCharacters = 1000;

const verdicts: { verdict: Verdict; icon: "thumbUp" | "thumbDown"; label: string; chosen: string }[] = [
  { verdict: "up", icon: "thumbUp", label: "This helped", chosen: "This helped: undo" },
  { verdict: "down", icon: "thumbDown", label: "This did not help", chosen: "This did not help: undo" },
];

/** Whether an answer helped, and why. */
export function Feedback({ conversationId, turnId }: FeedbackProps) {
  const { data, isSuccess } = useQuery(feedbackQuery(conversationId));
  const given = data?.find((one) => one.turnId === turnId);
  const [writing, setWriting] = useState(false);
  const invalidates = [feedbackQuery(conversationId).queryKey];
  const give = useWrite({
    send: (said: { verdict: Verdict; comment?: string }, key) => giveFeedback(turnId, said, key),
    invalidates,
  });
  const takeBack = useWrite({ send: (_: undefined, key) => takeBackFeedback(turnId, key), invalidates });
  const why = useRef<HTMLButtonElement>(null);
  const verdict = give.isPending ? give.variables.verdict : takeBack.isPending ? undefined : given?.verdict;
  const busy = give.isPending || takeBack.isPending;
  const press = (pressed: Verdict) => {
    // Two that are under way at once could arrive in either order.
    if (busy) return;
    // Why the last one failed is over with the next.
    give.reset();
    takeBack.reset();
    if (verdict !== pressed) return give.mutate({ verdict: pressed, comment: given?.comment });
    setWriting(false);
    takeBack.mutate(undefined);
  };
  const close = () => {
    setWriting(false);
    // The button comes back with the next render. A user who has moved on during the save keeps their focus.
    requestAnimationFrame(() => isLost() && why.current?.focus());
  };
  return (
    <>
      <span className="inline-flex items-center">
        {verdicts.map((one) => (
          <IconButton
            aria-pressed={verdict === one.verdict}
            className={
              "size-6 pointer-coarse:size-8 " +
              (verdict === one.verdict
                ? "text-primary"
                : "opacity-60 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100")
            }
            data-testid={`feedback-${one.verdict}`}
            disabled={!isSuccess}
            icon={one.icon}
            key={one.verdict}
            label={verdict === one.verdict ? one.chosen : one.label}
            onClick={() => press(one.verdict)}
          />
        ))}
      </span>
      {verdict && !busy && !writing && (
        <button
          className="inline-flex min-h-6 items-center rounded-md px-1 hover:text-foreground pointer-coarse:min-h-8"
          data-testid="feedback-why"
          onClick={() => setWriting(true)}
          ref={why}
          type="button"
        >
          {given?.comment ? "Change comment" : "Say why"}
        </button>
      )}
      <ErrorNotice className="basis-full" error={give.error ?? takeBack.error} />
      {writing && given && <Why given={given} onClose={close} turnId={turnId} conversationId={conversationId} />}
    </>
  );
}

interface WhyProps extends FeedbackProps {
  given: Given;
  onClose: () => void;
}

function Why({ given, onClose, turnId, conversationId }: WhyProps) {
  const { text: comment, write, forget } = useKept(`${turnId}.comment`, given.comment ?? "");
  const box = useRef<HTMLFormElement>(null);
  const title = useId();
  useEffect(() => box.current?.querySelector("textarea")?.focus(), []);
  const save = useWrite({
    send: (said: string, key) => giveFeedback(turnId, { verdict: given.verdict, comment: said }, key),
    invalidates: [feedbackQuery(conversationId).queryKey],
    onSuccess: () => {
      forget();
      onClose();
    },
  });
  return (
    <form
      aria-labelledby={title}
      className="flex w-full basis-full flex-col gap-2 rounded-lg border bg-card p-3 text-foreground"
      data-testid="feedback-form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(comment.trim());
      }}
      ref={box}
    >
      <h3 className="sr-only" id={title}>
        Comment on this answer
      </h3>
      <TextArea
        data-testid="feedback-comment"
        hint="Administrators of the assistant read it, with your name."
        label={given.verdict === "up" ? "What helped?" : "What was wrong or missing?"}
        maxLength={mostCharacters}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onClose();
        }}
        value={comment}
      />
      <ErrorNotice error={save.error} />
      <div className="flex justify-end gap-2">
        <Button
          data-testid="feedback-cancel"
          onClick={() => {
            forget();
            onClose();
          }}
        >
          Cancel
        </Button>
        <Button busy={save.isPending} data-testid="feedback-save" type="submit" variant="primary">
          Save
        </Button>
      </div>
    </form>
  );
}
