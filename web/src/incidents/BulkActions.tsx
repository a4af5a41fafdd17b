import { useState } from "react";
import { incidentsKey, type BulkResult, type ListedIncident } from "../api/incidents";
import { changeIncidents } from "../api/incidentcalls";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/Dialog";
import { ErrorNotice } from "../ui/Notice";
import { useToast } from "../ui/Toast";

interface BulkActionsProps {
  chosen: readonly ListedIncident[];
  onDone: () => void;
}

const doneWords = { resolve: "resolved", delete: "deleted" } as const;

/** Resolves or deletes the chosen incidents, and says which it could not. */
export function BulkActions({ chosen, onDone }: BulkActionsProps) {
  const toast = useToast();
  const [asking, setAsking] = useState<"resolve" | "delete" | null>(null);
  const [failed, setFailed] = useState<BulkResult[]>([]);
  const change = useWrite({
    send: ({ kind, ids }: { kind: "resolve" | "delete"; ids: string[] }, key) => changeIncidents(kind, ids, key),
    invalidates: [incidentsKey],
    onSuccess: (results, { kind }) => {
      const done = results.filter(({ result }) => result === doneWords[kind]);
      setFailed(results.filter(({ result }) => result !== doneWords[kind]));
      toast(`${done.length} of ${results.length} ${doneWords[kind]}`);
      setAsking(null);
      onDone();
    },
    onProposed: () => setAsking(null),
  });
  const n = chosen.length;
  const many = n === 1 ? "1 incident" : `${n} incidents`;
  return (
    <>
      {n > 0 && (
        <div
          aria-label="Chosen incidents"
          className="flex flex-wrap items-center gap-2 rounded-lg border bg-card p-2"
          data-testid="bulk"
          role="group"
        >
          <span className="px-2 text-sm">{many} chosen</span>
          <Button icon="check" onClick={() => setAsking("resolve")}>
            Resolve
          </Button>
          <Button icon="trash" onClick={() => setAsking("delete")}>
            Delete
          </Button>
          <Button onClick={onDone} variant="quiet">
            Clear
          </Button>
        </div>
      )}
      {failed.length > 0 && (
        <ul className="rounded-lg bg-danger-soft px-4 py-2.5 text-sm text-danger" role="alert">
          {failed.map(({ id, detail, result }) => (
            <li key={id}>{detail ?? result}</li>
          ))}
        </ul>
      )}
      {asking && (
        <ConfirmDialog
          busy={change.isPending}
          confirmLabel={asking === "resolve" ? `Resolve ${many}` : `Delete ${many}`}
          error={change.error}
          onClose={() => setAsking(null)}
          onConfirm={() => change.mutate({ kind: asking, ids: chosen.map(({ id }) => id) })}
          title={asking === "resolve" ? `Resolve ${many}?` : `Delete ${many}?`}
        >
          {asking === "resolve"
            ? "Their health overrides end. You can reopen each."
            : "Their updates and links are deleted too. This cannot be undone."}
        </ConfirmDialog>
      )}
      <ErrorNotice error={asking ? null : change.error} />
    </>
  );
}
