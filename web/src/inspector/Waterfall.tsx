import type { TurnEntry, TurnReport } from "../api/turns";
import { duration } from "../health/format";
import { entryStatusWords, entryTitle, failureWords } from "./words";

const colors: Record<TurnEntry["kind"], string> = {
  model: "bg-primary",
  tool: "bg-success",
  wait: "bg-warning",
  topic: "bg-muted-foreground",
  title: "bg-muted-foreground",
  summary: "bg-muted-foreground",
};

/** End of the time axis, in milliseconds: small calls may outlast the answer. */
export function spanOf({ tookMs, entries }: TurnReport): number {
  return Math.max(1, tookMs, ...entries.map((entry) => entry.startMs + (entry.tookMs ?? 0)));
}

/** Each thing that was done as a bar over the time of the turn, one under the other in the order in which they began. */
export function Waterfall({ report }: { report: TurnReport }) {
  const span = spanOf(report);
  return (
    <div className="flex flex-col gap-2">
      <Legend entries={report.entries} />
      <ol aria-label="Steps over time" className="flex flex-col gap-1.5" data-testid="waterfall">
        {report.entries.map((entry) => (
          <li
            aria-label={entryWords(entry)}
            className="grid grid-cols-1 items-center gap-x-3 gap-y-0.5 sm:grid-cols-[13rem_1fr_5rem]"
            data-testid={`bar-${entry.kind}`}
            key={`${entry.kind} ${entry.step} ${entry.number} ${entry.startMs}`}
          >
            <span aria-hidden="true" className="flex min-w-0 justify-between gap-2 text-xs sm:text-sm">
              <span className="truncate" title={entryTitle(entry)}>
                {entryTitle(entry)}
              </span>
              <span className="text-muted-foreground tabular-nums sm:hidden">{duration(entry.tookMs)}</span>
            </span>
            <Bar entry={entry} span={span} />
            <span aria-hidden="true" className="text-right text-xs text-muted-foreground tabular-nums max-sm:hidden">
              {duration(entry.tookMs)}
            </span>
          </li>
        ))}
      </ol>
      <div
        aria-hidden="true"
        className="grid text-xs text-muted-foreground tabular-nums sm:grid-cols-[13rem_1fr_5rem] sm:gap-x-3"
      >
        <span className="flex justify-between sm:col-start-2">
          <span>0</span>
          <span>{duration(span / 2)}</span>
          <span>{duration(span)}</span>
        </span>
      </div>
    </div>
  );
}

function Bar({ entry, span }: { entry: TurnEntry; span: number }) {
  const bad = entry.status === "failed" || entry.status === "refused" || entry.status === "lost";
  const first = entry.firstMs !== undefined && entry.tookMs ? Math.min(1, entry.firstMs / entry.tookMs) : 0;
  const left = Math.min(99.5, (entry.startMs / span) * 100);
  const width = Math.min(100 - left, Math.max(0.5, ((entry.tookMs ?? 0) / span) * 100));
  return (
    <span aria-hidden="true" className="relative block h-4 overflow-hidden rounded bg-muted">
      <span
        className={`absolute inset-y-0 block min-w-0.5 overflow-hidden rounded-sm ${bad ? "bg-danger" : colors[entry.kind]}`}
        style={{ left: `${left}%`, width: `${width}%` }}
      >
        {first > 0 && <span className="block h-full bg-card/50" style={{ width: `${first * 100}%` }} />}
      </span>
    </span>
  );
}

const kinds: { kind: TurnEntry["kind"]; label: string }[] = [
  { kind: "model", label: "model (lighter: until its first token)" },
  { kind: "tool", label: "tool" },
  { kind: "wait", label: "wait" },
  { kind: "topic", label: "topic, title, summary" },
];

function Legend({ entries }: { entries: TurnEntry[] }) {
  const failed = entries.some(({ status }) => status === "failed" || status === "refused" || status === "lost");
  return (
    <ul className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted-foreground">
      {kinds.map(({ kind, label }) => (
        <li className="flex items-center gap-1.5" key={kind}>
          <span aria-hidden="true" className={`h-3 w-4 rounded-sm ${colors[kind]}`} />
          {label}
        </li>
      ))}
      {failed && (
        <li className="flex items-center gap-1.5">
          <span aria-hidden="true" className="h-3 w-4 rounded-sm bg-danger" />
          failed
        </li>
      )}
    </ul>
  );
}

/** An entry for those who do not see its bar. */
export function entryWords(entry: TurnEntry): string {
  const words = [
    `${entryTitle(entry)}: ${entryStatusWords[entry.status].label}`,
    `started at ${duration(entry.startMs)}`,
    entry.tookMs === undefined ? "duration unknown" : `took ${duration(entry.tookMs)}`,
  ];
  if (entry.firstMs !== undefined) words.push(`first token after ${duration(entry.firstMs)}`);
  if (entry.failure) words.push(failureWords(entry.failure));
  return words.join(", ");
}
