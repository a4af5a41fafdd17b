import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { retentionQuery, setRetention, type Retention } from "../api/privacy";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { Checkbox, TextField } from "../ui/Field";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";

export function RetentionPanel() {
  const { data: retention, error, refetch } = useQuery(retentionQuery);
  return (
    <Panel title="Retention">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!retention && !error && <SkeletonRows rows={2} />}
      {retention && <RetentionForm key={retention.revision} retention={retention} />}
    </Panel>
  );
}

function RetentionForm({ retention }: { retention: Retention }) {
  const toast = useToast();
  const [enabled, setEnabled] = useState(retention.enabled);
  const [archivedDays, setArchivedDays] = useState(text(retention.archivedDays));
  const [idleDays, setIdleDays] = useState(text(retention.idleDays));
  const save = useWrite({
    send: setRetention,
    invalidates: [retentionQuery.queryKey],
    onSuccess: () => toast("Retention was saved"),
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({
          enabled,
          archivedDays: days(archivedDays),
          idleDays: days(idleDays),
          revision: retention.revision,
        });
      }}
    >
      <Checkbox
        checked={enabled}
        hint="A sweep runs once a day. What it deletes cannot be brought back."
        label="Delete old conversations for good"
        name="enabled"
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          hint="Empty: never."
          label="Days after archiving"
          max={3650}
          min={1}
          name="archivedDays"
          onChange={(event) => setArchivedDays(event.currentTarget.value)}
          type="number"
          value={archivedDays}
        />
        <TextField
          hint="Archived or not. Empty: never."
          label="Days without activity"
          max={3650}
          min={1}
          name="idleDays"
          onChange={(event) => setIdleDays(event.currentTarget.value)}
          type="number"
          value={idleDays}
        />
      </div>
      <ErrorNotice error={save.error} />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted-foreground">
          {retention.sweptAt
            ? `Last sweep ${fullTime(retention.sweptAt)}. Deleted so far: ${retention.deleted}.`
            : "No sweep has run yet."}
        </p>
        <Button busy={save.isPending} data-testid="save-retention" type="submit" variant="primary">
          Save
        </Button>
      </div>
    </form>
  );
}

function text(value: number | null): string {
  return value === null ? "" : String(value);
}

function days(value: string): number | null {
  return value.trim() === "" ? null : Number(value);
}
