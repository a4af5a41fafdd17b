import { z } from "zod";
import type { Policy, Schedule, Target } from "../oncall";
import { instantOf, localTime, zoneName } from "./incident";
import { chosen, filled } from "./named";

/** A whole number that is typed. */
const count = (least: number, most: number) =>
  z
    .string()
    .transform(Number)
    .refine(
      (n) => Number.isInteger(n) && n >= least && n <= most,
      `Enter a whole number between ${least} and ${most.toLocaleString("en")}.`,
    );

const week = 7 * 24 * 60;

/** Minutes that are typed, as seconds. */
const minutes = (least: number) =>
  z
    .string()
    .transform((text) => (text.trim() === "" ? Number.NaN : Number(text)))
    .refine((n) => n >= least && n <= week, `Enter minutes, ${week.toLocaleString("en")} at most.`)
    .transform((n) => Math.round(n * 60));

const inMinutes = (seconds: number) => String(seconds / 60);

/** Hours such as "mon-fri 09:00-17:00, sat 10:00-12:00". */
const listed = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean),
);

const owner = z.string().transform((id) => id || null);

const layer = z.object({
  name: z.string().trim(),
  start: filled,
  unit: z.enum(["hours", "days", "weeks"]),
  length: count(1, 366),
  people: z.array(z.string()).min(1, "Add at least one person."),
  hours: listed,
  beside: z.boolean(),
});

export const scheduleSchema = z.object({
  name: filled,
  description: z.string().trim(),
  teamId: owner,
  zone: filled,
  layers: z.array(layer),
});

/** A layer as a form begins it: shifts of a week, from the next Monday at nine. */
export function newLayer(now: Date) {
  const monday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - ((now.getDay() + 6) % 7), 9);
  return {
    name: "",
    start: localTime(monday.toISOString()),
    unit: "weeks" as "hours" | "days" | "weeks",
    length: "1",
    people: [] as string[],
    hours: "",
    beside: false,
  };
}

export const scheduleValues = (schedule: Schedule | undefined) => ({
  name: schedule?.name ?? "",
  description: schedule?.description ?? "",
  teamId: schedule?.team?.id ?? "",
  zone: schedule?.zone ?? zoneName(),
  layers: schedule
    ? schedule.layers.map(({ name = "", start, unit, length, people, hours, beside = false }) => ({
        name,
        start: start.slice(0, 16),
        unit,
        length: String(length),
        people,
        hours: hours?.join(", ") ?? "",
        beside,
      }))
    : [newLayer(new Date())],
});

const moment = z.string().refine((local) => instantOf(local) !== undefined, "Enter a date and a time.");

export const overrideSchema = z
  .object({ personId: chosen, replacesId: z.string(), start: moment, end: moment })
  .refine(({ start, end }) => Date.parse(end) > Date.parse(start), {
    message: "Choose a time after the start.",
    path: ["end"],
  });

export const calendarSchema = z
  .object({ url: z.string().trim(), file: z.string().trim() })
  .refine(({ url, file }) => (url === "") !== (file === ""), {
    message: "Enter an address or choose a file, not both.",
    path: ["url"],
  });

/** A target as a field holds it. */
export const targetKey = ({ kind, id = "" }: Target) => `${kind} ${id}`;

function targetOf(key: string): Target {
  const [kind, id] = key.split(" ");
  return { kind: kind as Target["kind"], ...(id && { id }) };
}

const step = z
  .object({
    delayMinutes: minutes(0),
    hours: z.string().trim(),
    targets: z.array(z.string()).min(1, "Add at least one."),
  })
  .transform(({ delayMinutes, hours, targets }) => ({
    delaySeconds: delayMinutes,
    ...(hours && { hours }),
    targets: targets.map(targetOf),
  }));

export const policySchema = z
  .object({
    name: filled,
    description: z.string().trim(),
    teamId: owner,
    zone: filled,
    steps: z.array(step).min(1, "Add at least one step."),
    repeats: count(0, 20),
    betweenMinutes: minutes(1 / 60),
    severities: z.array(z.enum(["minor", "major", "critical"])),
    default: z.boolean(),
    enabled: z.boolean(),
  })
  .transform(({ betweenMinutes, enabled, ...fields }) => ({
    ...fields,
    betweenSeconds: betweenMinutes,
    disabled: !enabled,
  }));

export const newStep = (first: boolean) => ({
  delayMinutes: first ? "0" : "5",
  hours: "",
  targets: [] as string[],
});

export const policyValues = (policy: Policy | undefined) => ({
  name: policy?.name ?? "",
  description: policy?.description ?? "",
  teamId: policy?.team?.id ?? "",
  zone: policy?.zone ?? zoneName(),
  steps: policy
    ? policy.steps.map(({ delaySeconds, hours = "", targets }) => ({
        delayMinutes: inMinutes(delaySeconds),
        hours,
        targets: targets.map(targetKey),
      }))
    : [newStep(true)],
  repeats: String(policy?.repeats ?? 0),
  betweenMinutes: inMinutes(policy?.betweenSeconds ?? 300),
  severities: (policy?.severities ?? []) as ("minor" | "major" | "critical")[],
  default: policy?.default ?? false,
  enabled: policy?.enabled ?? true,
});
