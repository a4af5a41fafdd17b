import { Button } from "../ui/Button";
import { useKept } from "./kept";

interface MessageEditProps {
  text: string;
  /** Key under which the draft is kept. */
  field: string;
  /** It was sent before, and has not arrived. */
  unsent?: boolean;
  onSave: (text: string) => void;
  onCancel: () => void;
}

/**
 * Editor of the newest message. Escape keeps the text for the next time; Cancel discards it. Sent text is kept as well,
 * until the server has accepted it.
 */
export function MessageEdit({ text, field, unsent, onSave, onCancel }: MessageEditProps) {
  const { text: changed, write, forget } = useKept(field, text);
  const trimmed = changed.trim();
  const same = trimmed === "" || trimmed === text.trim();
  return (
    <form
      className="flex w-full flex-col gap-2 self-end"
      onSubmit={(event) => {
        event.preventDefault();
        if (!same) onSave(trimmed);
      }}
    >
      <textarea
        aria-describedby="edit-note"
        aria-label="Your message"
        // The box replaces the message whose button was just pressed.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        className="field-sizing-content max-h-80 min-h-20 w-full rounded-2xl border border-input bg-card px-4 py-2.5"
        data-testid="edit-text"
        maxLength={32_000}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          } else if (event.key === "Escape") {
            event.stopPropagation();
            onCancel();
          }
        }}
        value={changed}
      />
      <p className="text-xs text-muted-foreground" id="edit-note">
        {unsent && "This message was not sent: send it again. "}
        The answer is replaced. Pending changes are withdrawn; applied ones stay. Enter sends, Shift+Enter starts a new
        line.
      </p>
      <div className="flex justify-end gap-2">
        <Button
          data-testid="edit-cancel"
          onClick={() => {
            forget();
            onCancel();
          }}
          variant="secondary"
        >
          Cancel
        </Button>
        <Button data-testid="edit-save" disabled={same} type="submit">
          Send
        </Button>
      </div>
    </form>
  );
}
