import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { retentionSchema, retentionValues } from "../api/forms/retention";
import { retentionQuery, setRetention, type Retention } from "../api/privacy";
import { Checkbox, TextField } from "../ui/Field";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { PageForm } from "../ui/PageForm";
import { useRecordForm } from "../ui/recordform";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";

export function RetentionPanel() {
  const { data: retention, error, refetch } = useQuery(retentionQuery);
  const [saves, setSaves] = useState(0);
  return (
    <Panel title="Retention">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!retention && !error && <SkeletonRows rows={2} />}
      {retention && <RetentionForm key={saves} onSaved={() => setSaves(saves + 1)} retention={retention} />}
    </Panel>
  );
}

function RetentionForm({ retention, onSaved }: { retention: Retention; onSaved: () => void }) {
  const toast = useToast();
  const form = useRecordForm({
    schema: retentionSchema,
    item: retention,
    values: retentionValues,
    send: (fields, began, key) => setRetention({ ...fields, revision: (began ?? retention).revision }, key),
    invalidates: [retentionQuery.queryKey],
    onSaved: () => {
      toast("Retention was saved");
      onSaved();
    },
  });
  return (
    <PageForm
      form={form}
      origin={
        retention.sweptAt
          ? `Last run ${fullTime(retention.sweptAt)}. Deleted so far: ${retention.deleted}.`
          : "Retention has not run yet."
      }
      testId="save-retention"
    >
      <Checkbox
        hint="Runs once a day. Deleted conversations cannot be restored."
        label="Delete old conversations permanently"
        {...form.register("enabled")}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          hint="Leave empty for never."
          inputMode="numeric"
          label="Days after archiving"
          {...form.field("archivedDays")}
        />
        <TextField
          hint="Archived or not. Leave empty for never."
          inputMode="numeric"
          label="Days without activity"
          {...form.field("idleDays")}
        />
      </div>
    </PageForm>
  );
}
