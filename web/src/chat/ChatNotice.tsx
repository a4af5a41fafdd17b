import { Spinner } from "../ui/Button";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { useNow } from "../ui/time";
import type { Delay, SessionState } from "./session";

interface ChatNoticeProps {
  state: SessionState;
  failure: Error | null;
  /** Words arrive again, so that a delay is over. */
  writing: boolean;
  onDismiss: () => void;
}

/** The line above the composer: a lost connection, a delay, or a refusal. */
export function ChatNotice({ state, failure, writing, onDismiss }: ChatNoticeProps) {
  if (failure) {
    return (
      <div className="mb-2 flex items-start gap-1" data-testid="chat-error">
        <ErrorNotice className="flex-1" error={failure} />
        <IconButton icon="close" label="Dismiss" onClick={onDismiss} />
      </div>
    );
  }
  if (state.connection !== "live") {
    return (
      <p className={style} data-testid="chat-notice" role="status">
        <Spinner /> {connections[state.connection]}
      </p>
    );
  }
  return state.notice && !writing ? <DelayNotice delay={state.notice} /> : null;
}

const connections = {
  reconnecting: "Connection lost. Reconnecting; the answer continues meanwhile.",
  sending: "Your message is not delivered yet. Sending is retried until it arrives.",
};

const style = "mb-2 flex items-center gap-2 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning";

function DelayNotice({ delay }: { delay: Delay }) {
  const now = useNow(1_000);
  const left = Math.ceil((delay.until - now) / 1_000);
  return (
    <p className={style} data-testid="chat-notice">
      <Spinner />
      <span role="status">{delay.message}</span>
      <span
        className="ml-auto shrink-0 text-xs whitespace-nowrap tabular-nums"
        data-testid="retry-countdown"
        role="timer"
      >
        {left > 0 ? `retry in ${left} s` : "retrying"}
        {delay.attempt && delay.attempt > 1 ? `, attempt ${delay.attempt}` : ""}
      </span>
    </p>
  );
}
