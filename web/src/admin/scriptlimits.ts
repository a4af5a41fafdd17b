import type { ProblemDocument } from "../api/problem";
import type { ScriptLimits, ScriptNetwork, ScriptPolicy } from "../api/scriptpolicy";

export const networks: Record<ScriptNetwork, { label: string; hint: string }> = {
  off: { label: "Off", hint: "Scripts reach nothing." },
  allowlist: { label: "Allowlist", hint: "Scripts reach the entries below and nothing else." },
  public: {
    label: "Public internet",
    hint: "Scripts reach every public address, and none of your own network. Data can leave.",
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

/** Values typed in the form, in units that people read. */
export interface PolicyDraft {
  network: ScriptNetwork;
  allow: string;
  test: LimitDraft;
  run: LimitDraft;
}

export const policyDraftOf = ({ network, allow, test, run }: ScriptPolicy): PolicyDraft => ({
  network,
  allow: allow.join("\n"),
  test: draftOf(test),
  run: draftOf(run),
});

export const policyOf = ({ network, allow, test, run }: PolicyDraft): ScriptPolicy => ({
  network,
  allow: entriesOf(allow),
  test: limitsOf(test),
  run: limitsOf(run),
});

/** Issues by field: "allow", or a limit such as "test.timeoutMs". */
export type PolicyIssues = Record<string, string>;

/** Issues that need no answer of the server. */
export function issuesOf(draft: PolicyDraft): PolicyIssues {
  const issues: PolicyIssues = {};
  for (const set of ["test", "run"] as const) {
    for (const { name, min, max, factor } of limitFields) {
      const value = draft[set][name].trim() === "" ? Number.NaN : Number(draft[set][name]);
      const whole = factor > 1 || Number.isInteger(value);
      if (value >= min && value <= max && whole) continue;
      issues[`${set}.${name}`] =
        `Enter a ${factor > 1 ? "" : "whole "}number from ${min.toLocaleString("en")} to ${max.toLocaleString("en")}.`;
    }
  }
  if (draft.network === "allowlist" && entriesOf(draft.allow).length === 0) {
    issues.allow = "Name at least one target. To reach none, switch the network off.";
  }
  return issues;
}

/** The server's issues by field, or null when one of them belongs to no field. */
export function fieldIssues(
  document: ProblemDocument | undefined,
  sent: ScriptPolicy | undefined,
): PolicyIssues | null {
  if (!document?.issues || document.issues.length === 0) return null;
  const issues: PolicyIssues = {};
  for (const { path, message } of document.issues) {
    const [, index] = /^(?:body\.)?allow\[(\d+)\]$/.exec(path) ?? [];
    const field = index === undefined ? path.replace(/^body\./, "") : "allow";
    if (field !== "allow" && !limitFields.some(({ name }) => field === `test.${name}` || field === `run.${name}`))
      return null;
    const text =
      index === undefined
        ? capital(message)
        : `${sent?.allow[Number(index)] ?? `Entry ${Number(index) + 1}`}: ${message}`;
    issues[field] = issues[field] ? `${issues[field]} ${withStop(text)}` : withStop(text);
  }
  return issues;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const withStop = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

export function describeLimit({ name, factor, unit }: LimitField, limits: ScriptLimits): string {
  return `${(limits[name] / factor).toLocaleString("en")} ${unit}`;
}

/** The entries of a text with one on each line, or with commas. */
export function entriesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== "");
}

/** How two policies differ, one sentence each. */
export function describeDifference(before: ScriptPolicy, after: ScriptPolicy): string[] {
  const lines: string[] = [];
  if (before.network !== after.network) {
    lines.push(`Network: ${networks[before.network].label} → ${networks[after.network].label}`);
  }
  const added = after.allow.filter((entry) => !before.allow.includes(entry));
  const removed = before.allow.filter((entry) => !after.allow.includes(entry));
  if (added.length > 0) lines.push(`Allowed: ${added.join(", ")}`);
  if (removed.length > 0) lines.push(`No longer allowed: ${removed.join(", ")}`);
  lines.push(...limitChanges("Tests", before.test, after.test), ...limitChanges("Real runs", before.run, after.run));
  return lines.length > 0 ? lines : ["Saved without a change"];
}

function limitChanges(title: string, before: ScriptPolicy["test"], after: ScriptPolicy["test"]): string[] {
  return limitFields
    .filter(({ name }) => before[name] !== after[name])
    .map(
      (field) =>
        `${title}, ${field.label.toLowerCase()}: ${describeLimit(field, before)} → ${describeLimit(field, after)}`,
    );
}
