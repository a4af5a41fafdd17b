import { z } from "zod";
import type { Severity } from "../api/incidents";
import type { AlertKind, AlertSource } from "../api/intake";

const filled = z.string().trim().min(1, "Fill this in.");
const systemIds = z.array(z.string()).min(1, "Choose a system.");

export const sourceSchema = z.object({
  name: filled,
  kind: z.custom<AlertKind>(),
  systemIds,
  systems: z.array(z.object({ label: filled, value: filled, systemIds })),
  severity: z.custom<Severity>(),
  severities: z.array(z.object({ label: filled, value: filled, severity: z.custom<Severity>() })),
  groupBy: z.enum(["group", "alert"]),
  reopenWithinMinutes: z.coerce.number<string>("Enter minutes.").int().min(0).max(1440),
  topicArn: z.string().trim(),
  enabled: z.boolean(),
});

/** Form values of a source, or of a new one. */
export const sourceValues = (now: AlertSource | undefined): z.input<typeof sourceSchema> => ({
  name: now?.name ?? "",
  kind: now?.kind ?? "alertmanager",
  systemIds: now?.systemIds ?? [],
  systems: now?.systems ?? [],
  severity: now?.severity ?? "major",
  severities: now?.severities ?? [],
  groupBy: now?.groupBy ?? "group",
  reopenWithinMinutes: String(now?.reopenWithinMinutes ?? 60),
  topicArn: now?.topicArn ?? "",
  enabled: now?.enabled ?? true,
});
