import type { SpendFilter, SpendReport, SpendSeries, SpendUse } from "../api/spend";
import { cost } from "../inspector/words";

export type Measure = NonNullable<SpendFilter["measure"]>;

const callers: Record<string, string> = {
  chat: "Chat in the app",
  client: "Programs that chat (API, AG-UI)",
  automation: "Automations",
  application: "Applications",
  check: "Model checks",
};

const gone: Partial<Record<SpendReport["split"], string>> = {
  connection: "Deleted connection",
  person: "Deleted account",
  team: "Deleted team",
};

/** Name of a series. */
export function seriesName({ key, name, others }: SpendSeries, split: SpendReport["split"]): string {
  if (others) return "All others";
  if (split === "team" && key === "") return "In no team";
  if (split === "model") return key || "Unknown model";
  if (split === "caller") return callers[key] ?? key;
  if (split === "none") return "All";
  return name ?? gone[split] ?? key;
}

export const splitWords: Record<SpendReport["split"], string> = {
  none: "All",
  connection: "Connection",
  model: "Model",
  person: "Person",
  team: "Team",
  caller: "Kind of use",
};

export const valueOf = (use: SpendUse, measure: Measure) => (measure === "cost" ? use.costMicros : use.tokens);

export const inWords = (value: number, measure: Measure) =>
  measure === "cost" ? cost(value) : value.toLocaleString("en");

/** The sum of all series in each slot. */
export const totals = (report: SpendReport, measure: Measure): number[] =>
  report.starts.map((_, slot) =>
    report.series.reduce((sum, { slots }) => sum + (slots[slot] ? valueOf(slots[slot], measure) : 0), 0),
  );

/** For each series the sum of it and of those below it: drawn one behind the other they are stacked. */
export function stacked(report: SpendReport, measure: Measure): number[][] {
  const below = report.starts.map(() => 0);
  return report.series.map(({ slots }) =>
    slots.map((use, slot) => (below[slot] = (below[slot] ?? 0) + valueOf(use, measure))),
  );
}

/**
 * The most that the limit leaves for each slot; undefined where it is not about all that the report counts, which may be about
 * one connection alone.
 */
export function limitLine(report: SpendReport, measure: Measure, connectionId?: string): number[] | undefined {
  const [limit, another] = report.limits;
  if (measure !== "tokens" || !limit || another) return undefined;
  const counted = report.split === "connection" ? report.series.map(({ key }) => key) : [connectionId];
  if (counted.some((id) => id !== limit.connectionId)) return undefined;
  return report.starts.map((start, slot) => {
    const minutes = (Date.parse(report.starts[slot + 1] ?? report.end) - Date.parse(start)) / 60_000;
    return Math.round(limit.tokens * Math.max(1, minutes / limit.windowMinutes));
  });
}

/** When a slot was: "3 Nov, 14:00", "Mon 3 Nov", "Week of 3 Nov", "November 2026". */
export function slotName(start: string, step: SpendReport["step"], zone: string): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options }).format(new Date(start));
  switch (step) {
    case "hour":
      return format({ hour: "2-digit", minute: "2-digit", day: "numeric", month: "short" });
    case "week":
      return `Week of ${format({ day: "numeric", month: "short" })}`;
    case "month":
      return format({ month: "long", year: "numeric" });
    default:
      return format({ weekday: "short", day: "numeric", month: "short" });
  }
}

/** A field of a CSV file. A spreadsheet would run what begins like a formula, so that it is made text. */
export function csvField(value: string | number): string {
  const text = String(value);
  const safe = typeof value === "string" && /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n;']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The report as a file for a spreadsheet: one line for each series in each slot in which something was used. */
export function csvOf(report: SpendReport): string {
  const head = [
    "from",
    report.split,
    "name",
    "calls",
    "calls_with_cost",
    "tokens",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "cost",
  ];
  const lines = report.series.flatMap((series) =>
    series.slots.flatMap((use, slot) =>
      use.calls === 0
        ? []
        : [
            [
              report.starts[slot] ?? "",
              series.others ? "" : series.key,
              seriesName(series, report.split),
              use.calls,
              use.priced,
              use.tokens,
              use.inputTokens,
              use.outputTokens,
              use.cachedTokens,
              use.costMicros / 1e6,
            ],
          ],
    ),
  );
  return `${[head, ...lines].map((line) => line.map(csvField).join(",")).join("\r\n")}\r\n`;
}

/** Named after the first day of the report in the reader's time zone, which may be ahead of the server's. */
export function csvName({ split, starts: [first], zone }: SpendReport): string {
  // In Sweden days are written as they sort.
  const day = first && new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(new Date(first));
  return `spend-by-${split}-${day ?? ""}.csv`;
}

/** Hues that are distinct in both themes, that of the others last. */
const hues = [255, 25, 145, 305, 75, 200, 345, 110, 280, 50, 170, 225];

export function seriesColor(at: number, others: boolean, dark: boolean): string {
  if (others) return dark ? "oklch(0.6 0 0)" : "oklch(0.65 0 0)";
  return `oklch(${dark ? 0.7 : 0.58} 0.14 ${hues[at % hues.length] ?? 0})`;
}
