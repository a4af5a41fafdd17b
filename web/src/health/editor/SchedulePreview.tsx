import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { CheckDefinition } from "../../api/health";
import { validateCheck } from "../../api/healthcalls";
import { Panel } from "../../ui/Page";
import { ScheduleNote } from "../ScheduleNote";

const pause = 500;

/** The cron schedule of a heartbeat check in words, with its next due times, after each pause in typing (debounce). */
export function SchedulePreview({ definition }: { definition: CheckDefinition }) {
  const [asked, setAsked] = useState(definition);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(definition), pause);
    return () => clearTimeout(timer);
  }, [definition]);
  const { data } = useQuery({
    queryKey: ["check-schedule", asked],
    queryFn: () => validateCheck(asked),
    enabled: asked.collectors.some(({ config }) => config?.cron && config.timeZone),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (!data?.schedule) return null;
  return (
    <Panel title="Schedule">
      <ScheduleNote schedule={data.schedule} />
    </Panel>
  );
}
