import type { ListedAutomation, RunStatus, StepStatus } from "../api/automations";
import { duration, lasting } from "../health/format";
import type { Tone } from "../ui/Badge";

export const runLabels: Record<RunStatus, string> = {
  queued: "Queued",
  pending: "Starting",
  running: "Running",
  success: "Succeeded",
  failed: "Failed",
  cancelled: "Cancelled",
  skipped: "Skipped",
};

export const runTones: Record<RunStatus, Tone> = {
  queued: "neutral",
  pending: "primary",
  running: "primary",
  success: "success",
  failed: "danger",
  cancelled: "warning",
  skipped: "neutral",
};

export const stepLabels: Record<StepStatus, string> = {
  running: "Running",
  waiting: "Waiting",
  success: "Done",
  failed: "Failed",
  unknown: "Unknown",
  skipped: "Skipped",
  cancelled: "Cancelled",
};

export const stepTones: Record<StepStatus, Tone> = {
  running: "primary",
  waiting: "primary",
  success: "success",
  failed: "danger",
  unknown: "warning",
  skipped: "neutral",
  cancelled: "warning",
};

export const isOver = ({ status }: { status: string }): boolean =>
  status !== "queued" && status !== "pending" && status !== "running";

type Runs = ListedAutomation["lastRuns"];

/** "Last 3 runs, newest first: Succeeded, Failed, Running". */
export function runsInWords(runs: Runs): string {
  if (runs.length === 0) return "No runs yet";
  const names = runs.map(({ status }) => runLabels[status as RunStatus] ?? status).join(", ");
  return runs.length === 1 ? `Last run: ${names}` : `Last ${runs.length} runs, newest first: ${names}`;
}

/** How many of the runs that came to an end succeeded: "67 % succeeded". It never says 100 of what had a failure. */
export function successRate(runs: Runs): string | undefined {
  const ended = runs.filter(({ status }) => status === "success" || status === "failed");
  if (ended.length === 0) return undefined;
  const succeeded = ended.filter(({ status }) => status === "success").length;
  return `${Math.floor((succeeded / ended.length) * 100)} % succeeded`;
}

/** The values that a condition saw, by the expression that read them. */
export function sawOf(output: unknown): [path: string, value: string][] {
  if (typeof output !== "object" || output === null || !("saw" in output)) return [];
  const { saw } = output;
  if (typeof saw !== "object" || saw === null) return [];
  return Object.entries(saw).map(([path, value]) => [path, JSON.stringify(value) ?? "nothing"]);
}

/** Where a line and column are in a text. */
export function offsetOf(text: string, line: number, column: number): number {
  const before = text.split("\n").slice(0, line - 1);
  const start = before.reduce((sum, one) => sum + one.length + 1, 0);
  return Math.min(start + Math.max(0, column - 1), text.length);
}

/** How long something took: "12 ms", "3 s", "2 h 5 min". */
export function took(from: string, to: string): string {
  const milliseconds = Math.max(0, Date.parse(to) - Date.parse(from));
  return milliseconds < 60_000 ? duration(milliseconds) : lasting(milliseconds);
}
