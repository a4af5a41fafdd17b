import type { CheckSchedule } from "../api/health";
import { fullTime } from "../ui/time";

/** When the job of a heartbeat check is due: in words, with the next due times in the reader's own time zone. */
export function ScheduleNote({ schedule }: { schedule: CheckSchedule }) {
  return (
    <section className="flex flex-col gap-1.5 text-sm" data-testid="schedule">
      <h3 className="font-medium">Due {schedule.words}</h3>
      <p className="text-xs text-muted-foreground">Next due times, in your time zone:</p>
      <ul className="list-disc pl-5">
        {schedule.next.map((at) => (
          <li key={at}>
            <time dateTime={at}>{fullTime(at)}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}
