import { z } from "zod";
import type { HistoryRetention } from "../health";
import type { Retention } from "../privacy";

const isWhole = (text: string, least: number, most: number) =>
  /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;

const days = (least: number, most: number) =>
  z
    .string()
    .trim()
    .refine(
      (text) => isWhole(text, least, most),
      `Enter a whole number from ${least.toLocaleString("en")} to ${most.toLocaleString("en")}.`,
    )
    .transform(Number);

const daysOrNever = z
  .string()
  .trim()
  .refine((text) => text === "" || isWhole(text, 1, 3_650), "Enter a whole number from 1 to 3,650, or leave it empty.")
  .transform((text) => (text === "" ? null : Number(text)));

/** For how long conversations are kept. */
export const retentionSchema = z.object({ enabled: z.boolean(), archivedDays: daysOrNever, idleDays: daysOrNever });

export const retentionValues = (retention: Retention | undefined) => ({
  enabled: retention?.enabled ?? false,
  archivedDays: String(retention?.archivedDays ?? ""),
  idleDays: String(retention?.idleDays ?? ""),
});

/** For how long history of health checks is kept. */
export const historyRetentionSchema = z.object({
  rawDays: days(1, 30),
  hourlyDays: days(7, 90),
  dailyDays: days(30, 1_095),
});

export const historyRetentionValues = (setting: HistoryRetention | undefined) => ({
  rawDays: String(setting?.rawDays ?? ""),
  hourlyDays: String(setting?.hourlyDays ?? ""),
  dailyDays: String(setting?.dailyDays ?? ""),
});
