import type { Shift } from "../api/oncall";
import { fullTime } from "../ui/time";

const tones = [
  "bg-primary-soft text-primary",
  "bg-success-soft text-success",
  "bg-warning-soft text-warning",
  "bg-muted",
];
const gap = "border border-dashed border-danger text-danger";

interface LanesProps {
  from: number;
  days: number;
  shifts: readonly Shift[];
  /** The people in the order of their colours. */
  people: readonly string[];
}

const dayLength = 86_400_000;

/** A lane for each day, with a bar for each shift. */
export function Lanes({ from, days, shifts, people }: LanesProps) {
  return (
    <ol className="flex flex-col gap-1" data-testid="lanes">
      {Array.from({ length: days }, (_, day) => {
        const start = from + day * dayLength;
        return (
          <li className="flex items-center gap-2" key={day}>
            <span className="w-20 shrink-0 text-xs text-muted-foreground">
              {new Date(start).toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" })}
            </span>
            <div className="relative h-7 min-w-0 flex-1 overflow-hidden rounded-md bg-muted/50">
              {shifts.map((shift) => (
                <Bar end={start + dayLength} key={shift.start} people={people} shift={shift} start={start} />
              ))}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Bar({ shift, start, end, people }: { shift: Shift; start: number; end: number; people: readonly string[] }) {
  const begins = Math.max(Date.parse(shift.start), start);
  const ends = Math.min(Date.parse(shift.end), end);
  if (begins >= ends) return null;
  const who = shift.people.map(({ name }) => name ?? "a deleted user").join(", ") || "Nobody";
  const first = shift.people[0]?.id;
  const tone = first === undefined ? gap : (tones[people.indexOf(first) % tones.length] ?? tones[0]);
  const share = (at: number) => ((at - start) / (end - start)) * 100;
  return (
    <span
      className={`absolute inset-y-0 truncate rounded-md px-1.5 text-xs leading-7 ${tone}`}
      data-testid="shift"
      style={{ left: `${share(begins)}%`, width: `${share(ends) - share(begins)}%` }}
      title={`${who}: ${fullTime(shift.start)} to ${fullTime(shift.end)}${shift.overridden ? ", override" : ""}`}
    >
      {who}
    </span>
  );
}
