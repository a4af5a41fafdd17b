import type { HealthOverride, IncidentStatus, Severity, TimelineEntry, Visibility } from "../api/incidents";
import type { Tone } from "../ui/Badge";

export const statusLabels: Record<IncidentStatus, string> = {
  investigating: "Investigating",
  identified: "Identified",
  fixing: "Fixing",
  monitoring: "Monitoring",
  resolved: "Resolved",
};

export const statusTones: Record<IncidentStatus, Tone> = {
  investigating: "danger",
  identified: "warning",
  fixing: "warning",
  monitoring: "primary",
  resolved: "success",
};

export const severityLabels: Record<Severity, string> = { minor: "Minor", major: "Major", critical: "Critical" };

export const severityTones: Record<Severity, Tone> = { minor: "neutral", major: "warning", critical: "danger" };

export const visibilityLabels: Record<Visibility, string> = {
  public: "Everybody",
  logged_in: "Signed-in people",
  internal: "Incident managers",
};

export const overrideLabels: Record<HealthOverride, string> = {
  none: "As their checks say",
  degraded: "Degraded or worse",
  unhealthy: "Unhealthy",
};

/** A state of an incident in words, with who set it. */
export function stateWords({ kind, status, byName }: NonNullable<TimelineEntry["state"]>): string {
  const by = byName ? ` by ${byName}` : "";
  switch (kind) {
    case "opened":
      return `Opened${by}`;
    case "imported":
      return `Imported${by}`;
    case "acknowledged":
      return `Acknowledged${by}`;
    case "resolved":
      return `Resolved${by}`;
    case "reopened":
      return `Reopened${by}`;
    case "merged":
      return `Merged into another incident${by}`;
    case "moved":
      return `${statusLabels[status]}, set${by}`;
  }
}

/** How long something took: "5 min", "3 h 20 min", "2 d 4 h". */
export function lasted(from: string, to: string | number): string {
  const end = typeof to === "number" ? to : Date.parse(to);
  const minutes = Math.max(0, Math.round((end - Date.parse(from)) / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
