import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { explanationQuery } from "../api/oncall";
import { SystemPicker } from "../health/SystemPicker";
import { ToggleFilter } from "../ui/Filters";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";

const severities = [
  { value: "minor", label: "Minor" },
  { value: "major", label: "Major" },
  { value: "critical", label: "Critical" },
] as const;

/** A simulated run of an incident that opens now on a system. */
export function Simulation() {
  const [system, setSystem] = useState("");
  const [severity, setSeverity] = useState<"minor" | "major" | "critical">("major");
  const { data, error, refetch, isFetching } = useQuery(explanationQuery(system, severity));
  return (
    <Panel title="Who is called when, if this opens now">
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-end gap-3">
          <div className="w-full sm:w-72">
            <SystemPicker label="System" onChange={setSystem} value={system} />
          </div>
          <ToggleFilter
            label="Severity"
            onChange={(value) => value && setSeverity(value)}
            options={severities}
            value={severity}
          />
        </div>
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        {isFetching && !data && <SkeletonRows rows={2} />}
        {data && (
          <div className="flex flex-col gap-3 text-sm" data-testid="simulated-run">
            <p className="font-medium">{data.text}</p>
            <ol className="flex flex-col gap-1">
              {data.steps.map(({ step, round, at, text }) => (
                <li key={`${round}.${step}`} title={`Here: ${fullTime(at)}`}>
                  {text}
                </li>
              ))}
            </ol>
            <ul className="flex flex-col gap-1 text-muted-foreground">
              {data.people.map(({ person, text }) => (
                <li key={person.id}>{text}</li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </Panel>
  );
}
