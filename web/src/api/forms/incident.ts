import { z } from "zod";
import type { HealthOverride, Incident, IncidentStatus, Severity, Visibility } from "../incidents";
import { filled } from "./named";

const pad = (n: number) => String(n).padStart(2, "0");

/** A moment as a field for local date and time holds it. */
export function localTime(iso: string | undefined): string {
  if (!iso) return "";
  const at = new Date(iso);
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

/** The moment of a local date and time, as an instant; undefined for none. */
export function instantOf(local: string): string | undefined {
  const at = new Date(local);
  return local === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** The reader's time zone by name. */
export const zoneName = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

const past = z
  .string()
  .refine((local) => local === "" || instantOf(local) !== undefined, "Enter a date and a time.")
  .refine((local) => local === "" || Date.parse(local) <= Date.now() + 60_000, "Enter a time in the past.");

export const incidentSchema = z.object({
  title: filled,
  description: z.string().trim(),
  severity: z.custom<Severity>(),
  systemIds: z.array(z.string()).min(1, "Choose at least one system."),
  healthOverride: z.custom<HealthOverride>(),
  suppressNotifications: z.boolean(),
  startedAt: past,
  initialMessage: z.string().trim(),
});

export const incidentValues = (incident: Incident | undefined, systemId?: string) => ({
  title: incident?.title ?? "",
  description: incident?.description ?? "",
  severity: incident?.severity ?? ("major" as Severity),
  systemIds: incident?.systems.map(({ id }) => id) ?? (systemId ? [systemId] : []),
  healthOverride: incident?.healthOverride ?? ("none" as HealthOverride),
  suppressNotifications: incident?.suppressNotifications ?? false,
  startedAt: localTime(incident?.startedAt),
  initialMessage: "",
});

export const updateSchema = z.object({
  message: filled,
  statusChange: z.custom<IncidentStatus | "">().transform((status) => status || undefined),
  visibility: z.custom<Visibility>(),
});

export const closingSchema = z.object({
  message: z.string().trim(),
  visibility: z.custom<Visibility>(),
  resolvedAt: past,
});

export const mergeSchema = z.object({ into: z.string().min(1, "Choose an incident.") });

export const incidentLinkSchema = z.object({
  url: z.string().trim().pipe(z.url("Enter an address that begins with https://")),
  label: z.string().trim(),
  visibility: z.custom<Visibility>(),
});
