import { Spinner, IconButton } from "../ui/Button";
import { ErrorNotice } from "../ui/Notice";
import type { SessionState } from "./session";

interface ChatNoticeProps {
  state: SessionState;
  failure: Error | null;
  onDismiss: () => void;
}

/** The line above the composer: a lost connection, a delay, or a refusal. */
export function ChatNotice({ state, failure, onDismiss }: ChatNoticeProps) {
  if (failure) {
    return (
      <div className="mb-2 flex items-start gap-1" data-testid="chat-error">
        <ErrorNotice className="flex-1" error={failure} />
        <IconButton icon="close" label="Dismiss" onClick={onDismiss} />
      </div>
    );
  }
  const text =
    state.connection === "reconnecting" ? "Connection lost. Reconnecting; the answer goes on meanwhile." : state.notice?.message;
  if (!text) return null;
  return (
    <p
      className="mb-2 flex items-center gap-2 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning"
      data-testid="chat-notice"
      role="status"
    >
      <Spinner /> {text}
    </p>
  );
}
