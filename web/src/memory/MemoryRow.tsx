import { Link } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { deleteMemory, memoriesKey, setAlwaysInject, type Memory } from "../api/memories";
import { askingNotice, useAsks } from "../api/governed";
import { useWrite } from "../api/write";
import { HistoryDrawer } from "../history/History";
import { AskAbout } from "../ui/AskAbout";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { DeleteDialog } from "../ui/DeleteDialog";
import { Checkbox } from "../ui/Field";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { useToast } from "../ui/Toast";
import { fullTime } from "../ui/time";
import { authorOf, deletionText } from "./describe";
import { MemoryForm, useMemoryFormAhead } from "./formbeside";

interface MemoryRowProps {
  memory: Memory;
  /** Whether the reader may write memories at all. */
  writable: boolean;
  /** Inside of the page of its system, which need not be named. */
  onSystem?: boolean;
}

export function MemoryRow({ memory, writable, onSystem }: MemoryRowProps) {
  const toast = useToast();
  const [open, setOpen] = useState<"edit" | "delete" | "history" | null>(null);
  const close = () => setOpen(null);
  const changeable = writable && memory.mayChange;
  useMemoryFormAhead(changeable);
  const Heading = onSystem ? "h3" : "h2";
  return (
    <div className={onSystem ? undefined : "px-4 py-3"} data-testid="memory">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Heading className="min-w-0 text-base font-medium wrap-anywhere">{memory.recallHint}</Heading>
            {!onSystem && <ScopeBadge memory={memory} />}
            {memory.tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </div>
          <p className="mt-1 text-sm whitespace-pre-wrap wrap-anywhere">{memory.content}</p>
        </div>
        <div className="flex shrink-0 items-center gap-1">
          <AskAbout name={memory.recallHint} noun="memory" small />
          <IconButton icon="clock" label={`History of ${memory.recallHint}`} onClick={() => setOpen("history")} />
          {changeable && (
            <>
              <IconButton icon="pencil" label={`Edit ${memory.recallHint}`} onClick={() => setOpen("edit")} />
              <IconButton icon="trash" label={`Delete ${memory.recallHint}`} onClick={() => setOpen("delete")} />
            </>
          )}
        </div>
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1.5 text-xs text-muted-foreground">
        <span>
          {authorOf(memory)} · {fullTime(memory.updatedAt)}
        </span>
        {memory.sourceConversationId && (
          <Link
            className="underline underline-offset-2"
            params={{ conversationId: memory.sourceConversationId }}
            to="/chat/$conversationId"
          >
            Saved in a conversation
          </Link>
        )}
        {memory.own && <AlwaysInject memory={memory} writable={writable} />}
      </div>
      {memory.outside && <FromOutside memory={memory} writable={writable} />}
      {open === "history" && (
        <HistoryDrawer name={memory.recallHint} of={{ type: "ai.memory", id: memory.id }} onClose={close} />
      )}
      <Suspense>
        {open === "edit" && (
          <MemoryForm
            memory={memory}
            onClose={close}
            onSaved={() => {
              toast("Saved");
              close();
            }}
          />
        )}
      </Suspense>
      {open === "delete" && (
        <DeleteDialog
          tool="ai.deleteMemory"
          invalidates={[memoriesKey]}
          item={memory}
          name={`“${memory.recallHint}”`}
          noun="memory"
          onClose={close}
          onDeleted={close}
          send={deleteMemory}
          warning={deletionText}
        />
      )}
    </div>
  );
}

/** A memory that the assistant saved after reading untrusted content, until its user accepts it. */
function FromOutside({ memory, writable }: { memory: Memory; writable: boolean }) {
  const asks = useAsks("ai.saveMemory");
  const keep = useWrite({
    send: (always: boolean, key) => setAlwaysInject(memory, always, key),
    invalidates: [memoriesKey],
  });
  return (
    <div
      className="mt-2 flex flex-wrap items-center gap-2 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning"
      data-testid="memory-outside"
    >
      <span className="min-w-0 flex-1">
        Saved in a chat with external content. When it is used, auto mode asks before changes.
      </span>
      {writable && (
        <Button
          busy={keep.isPending}
          disabled={asks === "off"}
          onClick={() => keep.mutate(memory.alwaysInject)}
          title={askingNotice(asks) ?? undefined}
        >
          Mark as reviewed
        </Button>
      )}
      <ErrorNotice error={keep.error} />
    </div>
  );
}

function ScopeBadge({ memory }: { memory: Memory }) {
  if (memory.scope === "user" || !memory.systemId) return <Badge title="Only you can see it">Only you</Badge>;
  return (
    <Link
      className="inline-flex"
      params={{ systemId: memory.systemId }}
      title="Everybody who may see this system sees it"
      to="/catalog/systems/$systemId"
    >
      <Badge tone="primary">{memory.systemName}</Badge>
    </Link>
  );
}

function AlwaysInject({ memory, writable }: { memory: Memory; writable: boolean }) {
  const asks = useAsks("ai.saveMemory");
  const set = useWrite({
    send: (always: boolean, key) => setAlwaysInject(memory, always, key),
    invalidates: [memoriesKey],
  });
  return (
    <span className="text-foreground sm:ml-auto">
      <Checkbox
        busy={set.isPending}
        checked={set.isPending ? set.variables : memory.alwaysInject}
        data-testid="always-inject"
        disabled={!writable || asks === "off"}
        hint={asks === "off" ? (askingNotice(asks) ?? undefined) : undefined}
        label="In all my prompts"
        onChange={(event) => set.mutate(event.currentTarget.checked)}
      />
      <ErrorNotice className="mt-2" error={set.error} />
    </span>
  );
}
