import { z } from "zod";
import type { Visibility } from "../incidents";
import type { Maintenance } from "../maintenances";
import { instantOf, localTime, zoneName } from "./incident";
import { filled } from "./named";

const moment = z.string().refine((local) => instantOf(local) !== undefined, "Enter a date and a time.");

export const maintenanceSchema = z
  .object({
    title: filled,
    description: z.string().trim(),
    systemIds: z.array(z.string()).min(1, "Choose at least one system."),
    startAt: moment,
    endAt: moment,
    zone: filled,
    rule: z.string().trim(),
    suppressNotifications: z.boolean(),
  })
  .refine(({ startAt, endAt }) => Date.parse(endAt) > Date.parse(startAt), {
    message: "Choose a time after the start.",
    path: ["endAt"],
  });

/** Times are those of the reader's zone, which the form names; the zone of the plan is that in which it recurs. */
export const maintenanceValues = (maintenance: Maintenance | undefined, systemId?: string) => ({
  title: maintenance?.title ?? "",
  description: maintenance?.description ?? "",
  systemIds: maintenance?.systems.map(({ id }) => id) ?? (systemId ? [systemId] : []),
  startAt: localTime(maintenance?.startAt),
  endAt: localTime(maintenance?.endAt),
  zone: maintenance?.zone ?? zoneName(),
  rule: maintenance?.rule ?? "",
  suppressNotifications: maintenance?.suppressNotifications ?? false,
});

export const maintenanceUpdateSchema = z.object({ message: filled, visibility: z.custom<Visibility>() });

export const maintenanceClosingSchema = z.object({
  message: z.string().trim(),
  visibility: z.custom<Visibility>(),
  all: z.boolean(),
});

export const extensionSchema = z.object({ endAt: moment });
