import type { MaintenanceStatus, Occurrence } from "../api/maintenances";
import type { Tone } from "../ui/Badge";

export const statusLabels: Record<MaintenanceStatus, string> = {
  scheduled: "Scheduled",
  in_progress: "In progress",
  completed: "Completed",
  cancelled: "Cancelled",
};

export const statusTones: Record<MaintenanceStatus, Tone> = {
  scheduled: "neutral",
  in_progress: "primary",
  completed: "success",
  cancelled: "neutral",
};

/** The word of a status, with how an occurrence ended. */
export const occurrenceWords = ({ status, endedEarly, extended }: Occurrence): string => {
  if (status === "completed" && endedEarly) return "Ended early";
  return status === "in_progress" && extended ? "In progress, extended" : statusLabels[status];
};

/** From when to when in a time zone: "5 Mar 2026, 02:00 to 04:00". The zone is the reader's unless said. */
export function span(from: string, to: string, timeZone?: string): string {
  const format = zoned({ dateStyle: "medium", timeStyle: "short" }, timeZone);
  return format.formatRange(new Date(from), new Date(to));
}

/** A zone that the browser does not know is shown as the reader's own. */
function zoned(options: Intl.DateTimeFormatOptions, timeZone?: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(undefined, { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat(undefined, options);
  }
}
