import type { DryRun, Expectation } from "../../api/agents";
import type { Tone } from "../../ui/Badge";

/** Parts of a call that are judged. */
interface Ended {
  ok: boolean;
  result?: unknown;
  error?: { code: string; message: string };
}

interface Ending {
  label: string;
  advice: string;
}

/** How a call of a tool can end that has no result to use, by the code of its error. */
const endings: Record<string, Ending> = {
  timeout: {
    label: "Stopped: timed out",
    advice: "Look for a loop that does not end. The limit is under Secrets and limits.",
  },
  memory_exceeded: { label: "Stopped: out of memory", advice: "Hold less data in memory at once." },
  result_too_large: {
    label: "Result too large",
    advice: "Return less, such as a count or the few fields that matter.",
  },
  not_json: {
    label: "Result is not JSON",
    advice: "Return plain objects, lists, texts and numbers, and turn a BigInt into a text.",
  },
  stalled: {
    label: "Stopped: waits forever",
    advice: "Look for an await on a promise that nothing resolves: a tool has nothing to wait for.",
  },
  action_not_found: { label: "No such action", advice: "Add the called action to the tool." },
  secret_not_provisioned: {
    label: "Secret not provided",
    advice: "Declare the secret under Secrets and limits, and name it in the source as a constant.",
  },
  tool_invoke_failed: { label: "Failed", advice: "" },
};

/** Explains truncated output; the call continues without it. */
export const outputCut = "Output truncated: only the beginning of the log is kept. Write less.";

/** A line of the log as one text. */
export const logText = ({ message, meta }: DryRun["logs"][number]) =>
  meta === undefined || meta === null ? message : `${message} ${JSON.stringify(meta)}`;

/** The few words about a call. */
export function verdictOf({ ok, error }: { ok: boolean; error?: { code: string } }): { label: string; tone: Tone } {
  if (ok) return { label: "Finished", tone: "success" };
  return { label: endings[error?.code ?? ""]?.label ?? "Failed", tone: "danger" };
}

export const adviceOf = (code: string) => endings[code]?.advice ?? "";

/** Expectation of an example made from a call. */
export function expectationOf({ ok, result, error }: Ended): Expectation {
  if (ok) return { ok, result: result ?? null };
  return error ? { ok, error_code: error.code } : { ok };
}

/** Why a call is not what an example expects; null when it is. */
export function differs(expect: Expectation | undefined, { ok, result, error }: Ended): string | null {
  // Without an expectation it is enough that the call ends well.
  const wanted = expect ?? { ok: true };
  if (wanted.ok && !ok) return `It failed: ${error?.message ?? "no reason was given"}`;
  if (!wanted.ok && ok) return "Expected a failure, but it succeeded.";
  if (!wanted.ok && wanted.error_code && wanted.error_code !== error?.code)
    return `It failed with ${error?.code ?? "no code"} instead of ${wanted.error_code}.`;
  if (wanted.ok && wanted.result !== undefined && !equal(wanted.result, result ?? null))
    return "The result differs from the expected one.";
  return null;
}

/** Whether two JSON values are the same, whatever the order of their members. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  const right = b as Record<string, unknown>;
  return (
    left.length === Object.keys(right).length &&
    left.every(([key, inner]) => Object.hasOwn(right, key) && equal(inner, right[key]))
  );
}

/** "Example 2", the first name that is free. */
export function freeName(taken: readonly string[]): string {
  for (let at = taken.length + 1; ; at++) if (!taken.includes(`Example ${at}`)) return `Example ${at}`;
}
