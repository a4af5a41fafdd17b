import { useEffect, useState } from "react";
import { serverNow } from "../api/clock";

/** The server's time, renewed every `interval` milliseconds while `active`. */
export function useNow(interval: number, active = true): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!active) return;
    const timer = window.setInterval(() => setNow(serverNow()), interval);
    return () => window.clearInterval(timer);
  }, [interval, active]);
  return now;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** "just now", "5 minutes ago", "yesterday"; a date when older than a week. */
export function timeAgo(iso: string, now: number): string {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return "";
  const minutes = Math.round((then - now) / 60_000);
  if (minutes > -1) return "just now";
  if (minutes > -60) return relative.format(minutes, "minute");
  if (minutes > -24 * 60) return relative.format(Math.round(minutes / 60), "hour");
  if (minutes > -7 * 24 * 60) return relative.format(Math.round(minutes / 1_440), "day");
  return new Date(then).toLocaleDateString(undefined, { dateStyle: "medium" });
}

/** The full local date and time, for tooltips. */
export function fullTime(iso: string): string {
  const then = new Date(iso);
  return Number.isNaN(then.getTime())
    ? ""
    : then.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
