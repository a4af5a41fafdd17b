/** "850 µs", "12 ms", "1.25 s", "3.1 min"; "–" for nothing. */
export function duration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined || !Number.isFinite(milliseconds)) return "–";
  if (milliseconds >= 60_000) return `${round(milliseconds / 60_000, 1)} min`;
  if (milliseconds >= 1_000) return `${round(milliseconds / 1_000, 2)} s`;
  if (milliseconds >= 10) return `${Math.round(milliseconds)} ms`;
  if (milliseconds >= 1) return `${round(milliseconds, 1)} ms`;
  return milliseconds === 0 ? "0 ms" : `${Math.max(1, Math.round(milliseconds * 1_000))} µs`;
}

/** "60 s", "5 min", "1 h", "1 day" for an interval in seconds. */
export function interval(seconds: number): string {
  if (seconds % 86_400 === 0) return seconds === 86_400 ? "1 day" : `${seconds / 86_400} days`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  if (seconds % 60 === 0 && seconds > 60) return `${seconds / 60} min`;
  return `${seconds} s`;
}

/** "99.98 %" of a part between 0 and 1. It never says 100 of what had a failure. */
export function availability(part: number | null | undefined): string {
  if (part === null || part === undefined || !Number.isFinite(part)) return "–";
  if (part >= 1) return "100 %";
  const percent = part * 100;
  const digits = percent >= 99.9 ? 1_000 : percent >= 99 ? 100 : 10;
  const shown = Math.floor(percent * digits) / digits;
  return `${shown} %`;
}

/** "2 h 5 min", "3 days": how long something has lasted, in milliseconds. */
export function lasting(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** "1 check", "2 checks". */
export const count = (number: number, noun: string) =>
  `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
