import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { historyRetentionQuery, setHistoryRetention, type HistoryRetention as Setting } from "../api/health";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";

const tiers = [
  { name: "rawDays", label: "Single runs (days)", hint: "With what they found. 1 to 30.", least: 1, most: 30 },
  { name: "hourlyDays", label: "Sums of hours (days)", hint: "For charts of weeks. 7 to 90.", least: 7, most: 90 },
  {
    name: "dailyDays",
    label: "Sums of days (days)",
    hint: "With outages and gaps. 30 to 1,095.",
    least: 30,
    most: 1095,
  },
] as const;

/** For how many days history of health checks is kept. */
export function HistoryRetention() {
  const { data: setting, error, refetch } = useQuery(historyRetentionQuery);
  return (
    <Panel title="History of health checks">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!setting && !error && <SkeletonRows rows={2} />}
      {setting && <Form key={setting.revision} setting={setting} />}
    </Panel>
  );
}

function Form({ setting }: { setting: Setting }) {
  const toast = useToast();
  const [days, setDays] = useState(() => ({
    rawDays: String(setting.rawDays),
    hourlyDays: String(setting.hourlyDays),
    dailyDays: String(setting.dailyDays),
  }));
  const save = useWrite({
    send: setHistoryRetention,
    invalidates: [historyRetentionQuery.queryKey],
    onSuccess: () => toast("Retention was saved"),
  });
  const fewer = tiers.some(({ name }) => Number(days[name]) < setting[name]);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({
          rawDays: Number(days.rawDays),
          hourlyDays: Number(days.hourlyDays),
          dailyDays: Number(days.dailyDays),
          revision: setting.revision,
        });
      }}
    >
      <div className="grid gap-4 sm:grid-cols-3">
        {tiers.map(({ name, label, hint, least, most }) => (
          <TextField
            hint={hint}
            key={name}
            label={label}
            max={most}
            min={least}
            name={name}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setDays((before) => ({ ...before, [name]: value }));
            }}
            required
            type="number"
            value={days[name]}
          />
        ))}
      </div>
      {fewer && (
        <p className="text-sm text-warning" role="status">
          What is older is deleted for good within the hour.
        </p>
      )}
      <ErrorNotice error={save.error} />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted-foreground">Changed {fullTime(setting.updatedAt)}.</p>
        <Button busy={save.isPending} data-testid="save-history-retention" type="submit" variant="primary">
          Save
        </Button>
      </div>
    </form>
  );
}
