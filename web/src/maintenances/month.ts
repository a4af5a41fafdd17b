import type { CalendarEntry } from "../api/maintenances";

const pad = (n: number) => String(n).padStart(2, "0");

/** The local month of a moment, such as 2026-03. */
export const monthOf = (at: Date): string => `${at.getFullYear()}-${pad(at.getMonth() + 1)}`;

/** The local day of a moment, such as 2026-03-29. */
export const dayKey = (at: Date): string => `${monthOf(at)}-${pad(at.getDate())}`;

/** The begin of a month, or of one some months later. */
export function monthAt(month: string, by: number): Date {
  const [year = 2000, number = 1] = month.split("-").map(Number);
  return new Date(year, number - 1 + by, 1);
}

/** The same time some days later by the local clock. */
export const shifted = (day: Date, by: number): Date => new Date(day.getFullYear(), day.getMonth(), day.getDate() + by);

/** The days of the weeks that a month is in, from Monday. */
export function daysOf(month: string): [Date, ...Date[]] {
  const first = monthAt(month, 0);
  const begin = shifted(first, -((first.getDay() + 6) % 7));
  const days: [Date, ...Date[]] = [begin];
  for (let n = 1; n % 7 !== 0 || monthOf(shifted(begin, n)) === month; n++) days.push(shifted(begin, n));
  return days;
}

/** The entries that take place on a local day. */
export const onDay = (entries: CalendarEntry[], day: Date): CalendarEntry[] =>
  entries.filter(
    ({ startAt, endAt }) => Date.parse(startAt) < shifted(day, 1).getTime() && Date.parse(endAt) > day.getTime(),
  );
