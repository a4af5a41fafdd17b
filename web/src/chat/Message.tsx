import { lazy, memo, Suspense, useEffect, useRef, useState } from "react";
import type { ChatMessage } from "../api/conversations";
import type { Decision, ProposalStatus } from "../api/proposals";
import { loaded } from "../api/reach";
import { type Settings, workflowUrl } from "../api/session";
import { type PlanBlock, withPlans } from "../proposals/plan";
import { Button } from "../ui/Button";
import { useCopied } from "../ui/copied";
import { Icon } from "../ui/Icon";
import { IconButton } from "../ui/IconButton";
import { LocalLink } from "../ui/LocalLink";
import { Skeleton } from "../ui/Notice";
import { fullTime } from "../ui/time";
import { Markdown } from "../markdown/Markdown";
import type { Pace } from "../markdown/paced";
import { AppliedCard, PlanCard, ProposalCard } from "./cards";
import { MessageEdit } from "./MessageEdit";
import { type Block, outline, plainText, stepCount } from "./outline";
import { QuestionCard } from "./QuestionCard";
import { Reasoning } from "./Reasoning";
import { type StepsBlock, withSteps } from "./steps";
import { ToolTimeline } from "./ToolTimeline";
import { editField } from "./unsent";
import { withoutToolNames } from "./verbs";

const SendWithheld = lazy(async () => ({
  default: (await loaded(() => import("./SendWithheld"))).SendWithheld,
}));
const Feedback = lazy(async () => ({ default: (await loaded(() => import("./Feedback"))).Feedback }));

interface MessageProps {
  message: ChatMessage;
  /** The chat, where its user may rate answers. */
  chat?: string;
  /** The turn may still write to this message. */
  live: boolean;
  settings: Settings | undefined;
  onProposalSettled: (proposalId: string, status: ProposalStatus) => void;
  /** Several proposals of the message were decided together. */
  onPlanDecided?: (planId: string, decision: Decision) => void;
  /** Operator's reply to a question in this message; undefined without a question. */
  reply?: string | null;
  /** A question in this message may still be answered. */
  open?: boolean;
  /** The message has come while the conversation was on the screen. */
  fresh?: boolean;
  /** How its text is drawn when it is long. */
  pace?: Pace;
  /** No answer is being written, so that one can be sent. */
  ready?: boolean;
  onAnswer?: (text: string) => void;
  /** Has the answer written again; for the newest answer only. */
  onRepeat?: () => void;
  /** Sends the message with another text; for the newest message only. */
  onEdit?: (text: string) => void;
  /** An edit of it was sent before the page was left, and has not arrived: it is open to be sent again. */
  unsent?: boolean;
}

/** Older messages keep their identity while the last one streams, so they are drawn once. */
export const Message = memo(function Message(props: MessageProps) {
  const { message, live, settings, onRepeat } = props;
  if (message.role === "user") return <UserMessage {...props} />;
  const blocks = outline(message, live);
  const failed = !live && message.metadata?.status === "failed";
  return (
    <article
      aria-label="Assistant"
      className="group flex min-w-0 flex-col gap-3 rounded-lg outline-offset-4"
      data-message={message.id}
      data-testid="assistant-message"
    >
      <h2 className="sr-only">Reply of the assistant</h2>
      {withSteps<PlanBlock>(withPlans<Block>(blocks)).map((block) => (
        <Suspense fallback={<Skeleton className="h-40 w-full" />} key={block.kind + block.key}>
          <BlockView answer={blocks} block={block} {...props} />
        </Suspense>
      ))}
      {live && <Progress blocks={blocks} message={message} />}
      {failed && onRepeat && (
        <Button className="w-fit" data-testid="try-again" icon="repeat" onClick={onRepeat}>
          Try again
        </Button>
      )}
      {!live && (
        <Footer chat={props.chat} message={message} onRepeat={failed ? undefined : onRepeat} settings={settings} />
      )}
    </article>
  );
});

function UserMessage({ chat, message, onEdit, unsent = false }: MessageProps) {
  const [editing, setEditing] = useState(unsent);
  const [wasUnsent, setWasUnsent] = useState(unsent);
  if (unsent !== wasUnsent) {
    setWasUnsent(unsent);
    setEditing(unsent);
  }
  // Leaving the box returns the focus to the button that opened it.
  const pencil = useRef<HTMLButtonElement>(null);
  const left = useRef(false);
  useEffect(() => {
    if (editing || !left.current) return;
    left.current = false;
    pencil.current?.focus();
  }, [editing]);
  const text = plainText(message);
  if (editing && onEdit) {
    const save = (changed: string) => {
      setEditing(false);
      onEdit(changed);
    };
    return (
      <MessageEdit
        field={chat ? editField(chat, message.id) : ""}
        onCancel={() => {
          left.current = true;
          setEditing(false);
        }}
        onSave={save}
        text={text}
        unsent={unsent}
      />
    );
  }
  return (
    <div className="group flex max-w-[85%] items-end gap-1 self-end">
      {onEdit && (
        <IconButton
          className={footerButton}
          data-testid="edit-message"
          icon="pencil"
          label="Edit message"
          onClick={() => setEditing(true)}
          ref={pencil}
        />
      )}
      <article
        aria-label="You"
        className="min-w-0 rounded-2xl rounded-br-md bg-primary-soft px-4 py-2.5 wrap-anywhere whitespace-pre-wrap"
        data-message={message.id}
        data-testid="user-message"
        title={message.metadata?.createdAt && fullTime(message.metadata.createdAt)}
      >
        {text}
      </article>
    </div>
  );
}

function BlockView(props: MessageProps & { answer: Block[]; block: Block | PlanBlock | StepsBlock }) {
  const { answer, block, live, onProposalSettled, onPlanDecided, reply, open, ready, fresh, onAnswer } = props;
  switch (block.kind) {
    case "plan":
      return (
        <PlanCard
          cards={block.cards}
          growing={live}
          onDecided={(decision) => onPlanDecided?.(block.key, decision)}
          onSettled={onProposalSettled}
          planId={block.key}
        />
      );
    case "text":
      return <Markdown pace={props.pace} streaming={block.streaming} text={block.text} />;
    case "reasoning":
      return <Reasoning streaming={block.streaming} text={block.text} />;
    case "steps":
      return <ToolTimeline answer={answer} live={live} steps={block.steps} />;
    case "tool":
      return null;
    case "proposal":
      return (
        <ProposalCard card={block.card} onSettled={(status) => onProposalSettled(block.card.proposalId, status)} />
      );
    case "applied":
      return <AppliedCard card={block.card} />;
    case "question":
      return (
        <QuestionCard
          field={props.chat ? `${props.chat}.${props.message.id}.answer` : ""}
          fresh={fresh ?? false}
          onAnswer={(text) => onAnswer?.(text)}
          open={open ?? false}
          question={block.question}
          ready={ready ?? false}
          reply={reply ?? null}
        />
      );
    case "notice":
      return (
        <div
          className="flex items-start gap-2.5 rounded-lg bg-warning-soft px-3 py-2.5 text-sm text-warning"
          data-testid="notice-block"
          role="note"
        >
          <Icon className="mt-0.5 shrink-0" name="alert" size={16} />
          <div className="flex min-w-0 flex-col gap-2">
            <p className="wrap-anywhere">{withoutToolNames(block.notice.message)}</p>
            {block.notice.kind === "content_withheld" && props.chat && !live && (
              <Suspense>
                <SendWithheld chat={props.chat} />
              </Suspense>
            )}
          </div>
        </div>
      );
    case "error":
      return (
        <div
          className="flex items-start gap-2.5 rounded-lg bg-danger-soft px-3 py-2.5 text-sm text-danger"
          data-testid="error-block"
          role="alert"
          title={block.error.code}
        >
          <Icon className="mt-0.5" name="alert" size={16} />
          <p className="wrap-anywhere">{withoutToolNames(block.error.message)}</p>
        </div>
      );
  }
}

/** Progress text while no answer is streaming. */
function Progress({ blocks, message }: { blocks: Block[]; message: ChatMessage }) {
  const last = blocks.at(-1);
  if (last && "streaming" in last && last.streaming) return null;
  if (last?.kind === "tool" && last.call.state === "running") return null;
  const steps = stepCount(message);
  return <Thinking text={steps > 1 ? `Working… (step ${steps})` : "Thinking…"} />;
}

export function Thinking({ text }: { text: string }) {
  return (
    <p className="flex items-center gap-2 text-sm text-muted-foreground" data-testid="thinking">
      <span aria-hidden="true" className="flex gap-1">
        {[0, 150, 300].map((delay) => (
          <span
            className="size-1.5 animate-pulse rounded-full bg-primary"
            key={delay}
            style={{ animationDelay: `${delay}ms` }}
          />
        ))}
      </span>
      {text}
    </p>
  );
}

interface FooterProps {
  message: ChatMessage;
  chat: string | undefined;
  settings: Settings | undefined;
  onRepeat: (() => void) | undefined;
}

function Footer({ message, chat, settings, onRepeat }: FooterProps) {
  const { turnId, status, model, usage, createdAt, truncated } = message.metadata ?? {};
  const url = turnId ? workflowUrl(settings, `turn/${turnId}`) : null;
  const text = plainText(message);
  const cached = usage?.cachedTokens;
  const tokens = usage && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  return (
    <footer className="-mt-1 flex min-h-6 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted-foreground">
      {status === "stopped" && (
        <span className="inline-flex items-center gap-1 font-medium" data-testid="stopped-mark">
          <Icon name="stop" size={13} /> Stopped
        </span>
      )}
      {truncated && (
        <span className="font-medium" data-testid="truncated-mark">
          Cut off at the length limit. Ask the assistant to continue.
        </span>
      )}
      {createdAt && (
        <time className="max-sm:hidden" dateTime={createdAt}>
          {fullTime(createdAt)}
        </time>
      )}
      {model && (
        <span
          title={
            tokens ? `${tokens} tokens${cached ? `, ${cached} of them from the provider’s cache` : ""}` : undefined
          }
        >
          {model}
        </span>
      )}
      {turnId && (
        <LocalLink className="hover:text-foreground" data-testid="turn-link" href={`/turns/${turnId}`}>
          Steps
        </LocalLink>
      )}
      {url && (
        <a
          className="inline-flex items-center gap-1 hover:text-foreground"
          data-testid="temporal-link"
          href={url}
          rel="noreferrer"
          target="_blank"
        >
          Open in Temporal <Icon name="external" size={12} />
        </a>
      )}
      <span className="-ml-1 inline-flex">{text && <CopyButton text={text} />}</span>
      {onRepeat && (
        <button
          className="inline-flex min-h-6 items-center gap-1 rounded-md px-1 hover:text-foreground pointer-coarse:min-h-8"
          data-testid="repeat"
          onClick={onRepeat}
          type="button"
        >
          <Icon name="repeat" size={13} /> Answer again
        </button>
      )}
      {chat && turnId && (
        <Suspense>
          <Feedback conversationId={chat} turnId={turnId} />
        </Suspense>
      )}
    </footer>
  );
}

const footerButton =
  "size-6 opacity-60 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:size-8 pointer-coarse:opacity-100";

function CopyButton({ text }: { text: string }) {
  const { copied, copy, forget } = useCopied();
  return (
    <IconButton
      className={footerButton}
      data-testid="copy-answer"
      icon={copied ? "check" : "copy"}
      label={copied ? "Copied" : "Copy answer"}
      onBlur={forget}
      onClick={() => copy(text)}
    />
  );
}
