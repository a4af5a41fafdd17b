import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { historyRetentionSchema, historyRetentionValues } from "../api/forms/retention";
import { historyRetentionQuery, type HistoryRetention as Setting } from "../api/health";
import { setHistoryRetention } from "../api/healthcalls";
import { TextField } from "../ui/Field";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { PageForm } from "../ui/PageForm";
import { useRecordForm } from "../ui/recordform";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";

const tiers = [
  { name: "rawDays", label: "Single runs (days)", hint: "Including findings. 1 to 30." },
  { name: "hourlyDays", label: "Hourly summaries (days)", hint: "For weekly charts. 7 to 90." },
  { name: "dailyDays", label: "Daily summaries (days)", hint: "Including outages and gaps. 30 to 1,095." },
] as const;

/** For how many days history of health checks is kept. */
export function HistoryRetention() {
  const { data: setting, error, refetch } = useQuery(historyRetentionQuery);
  const [saves, setSaves] = useState(0);
  return (
    <Panel title="History of health checks">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!setting && !error && <SkeletonRows rows={2} />}
      {setting && <Form key={saves} onSaved={() => setSaves(saves + 1)} setting={setting} />}
    </Panel>
  );
}

function Form({ setting, onSaved }: { setting: Setting; onSaved: () => void }) {
  const toast = useToast();
  const form = useRecordForm({
    schema: historyRetentionSchema,
    item: setting,
    values: historyRetentionValues,
    send: (fields, began, key) => setHistoryRetention({ ...fields, revision: (began ?? setting).revision }, key),
    invalidates: [historyRetentionQuery.queryKey],
    onSaved: () => {
      toast("Retention was saved");
      onSaved();
    },
  });
  const days = form.watch();
  const fewer = tiers.some(({ name }) => Number(days[name]) < setting[name]);
  return (
    <PageForm form={form} origin={`Changed ${fullTime(setting.updatedAt)}.`} testId="save-history-retention">
      <div className="grid gap-4 sm:grid-cols-3">
        {tiers.map(({ name, label, hint }) => (
          <TextField hint={hint} inputMode="numeric" key={name} label={label} required {...form.field(name)} />
        ))}
      </div>
      {fewer && (
        <p className="text-sm text-warning" role="status">
          Older data is permanently deleted within the hour.
        </p>
      )}
    </PageForm>
  );
}
