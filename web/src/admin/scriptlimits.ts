import type { ScriptLimits, ScriptNetwork } from "../api/scriptpolicy";

export const networks: Record<ScriptNetwork, { label: string; hint: string }> = {
  off: { label: "Off", hint: "Scripts reach nothing." },
  allowlist: { label: "Allowlist", hint: "Scripts reach the entries below and nothing else." },
  public: {
    label: "Public internet",
    hint: "Scripts reach every public address, and none of your own network. What a script knows can leave.",
  },
};

export interface LimitField {
  name: keyof ScriptLimits;
  label: string;
  unit: string;
  /** How many of the server's units one shown unit is. */
  factor: number;
  min: number;
  max: number;
}

const kib = 1024;
const mib = 1024 * 1024;

/** The limits in units that people read. */
export const limitFields: LimitField[] = [
  { name: "timeoutMs", label: "Time", unit: "s", factor: 1000, min: 0.1, max: 300 },
  { name: "memoryBytes", label: "Memory", unit: "MiB", factor: mib, min: 16, max: 128 },
  { name: "outputBytes", label: "Output", unit: "KiB", factor: kib, min: 1, max: 5120 },
  { name: "resultBytes", label: "Result", unit: "KiB", factor: kib, min: 1, max: 5120 },
  { name: "hostCalls", label: "Host calls", unit: "calls", factor: 1, min: 1, max: 1000 },
  { name: "hostBytes", label: "Data of host calls", unit: "KiB", factor: kib, min: 1, max: 65_536 },
];

export type LimitDraft = Record<keyof ScriptLimits, string>;

export function draftOf(limits: ScriptLimits): LimitDraft {
  return Object.fromEntries(limitFields.map(({ name, factor }) => [name, String(limits[name] / factor)])) as LimitDraft;
}

export function limitsOf(draft: LimitDraft): ScriptLimits {
  return Object.fromEntries(
    limitFields.map(({ name, factor }) => [name, Math.round(Number(draft[name]) * factor)]),
  ) as unknown as ScriptLimits;
}

export function describeLimit({ name, factor, unit }: LimitField, limits: ScriptLimits): string {
  return `${(limits[name] / factor).toLocaleString("en")} ${unit}`;
}

/** The entries of a text with one on each line, or with commas. */
export function entriesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== "");
}
