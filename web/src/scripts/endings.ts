import type { ScriptLimit, ScriptOutcome } from "../api/scripts";

/** Ending of a run without a usable result. An exception of the script itself is "thrown". */
export type Ending =
  | "timeout"
  | "memory"
  | "host_calls"
  | "result_too_large"
  | "result_not_json"
  | "wrong_result"
  | "stalled"
  | "import_refused"
  | "no_network"
  | "not_run"
  | "trap"
  | "thrown";

interface Explanation {
  label: string;
  /** One sentence about what to do. */
  advice: string;
}

/** Explanations of the endings. */
export const endings: Record<Exclude<Ending, "thrown">, Explanation> = {
  timeout: {
    label: "Stopped: timed out",
    advice:
      "Look for a loop or a wait that does not end, or give the run more time, up to what the script policy allows.",
  },
  memory: {
    label: "Stopped: out of memory",
    advice: "Hold less in memory at once, for example page by page; the script policy sets the limit.",
  },
  host_calls: {
    label: "Stopped: too many requests",
    advice: "Make fewer or smaller requests per run; the script policy sets the limits.",
  },
  result_too_large: {
    label: "Result too large",
    advice: "Return less, such as a count or the few fields that matter.",
  },
  result_not_json: {
    label: "Result is not JSON",
    advice: "Return plain objects, lists, texts and numbers, and turn a BigInt into a text.",
  },
  wrong_result: {
    label: "Not a health check result",
    advice: "Return true or false, a number, or { success, message, value }.",
  },
  stalled: {
    label: "Stopped: waits forever",
    advice: "Look for an await on a promise that nothing resolves; requests and timers do end by themselves.",
  },
  import_refused: {
    label: "Import refused",
    advice: "Remove the import: only the SDK of the script's context can be imported; fetch needs no import.",
  },
  no_network: {
    label: "No network",
    advice: "An administrator sets what scripts can reach under Admin, Script policy.",
  },
  not_run: {
    label: "Not run",
    advice: "Correct the line named here, then run it again.",
  },
  trap: {
    label: "The sandbox failed",
    advice: "Look for a deep recursion or a very large value, and try the script in smaller pieces.",
  },
};

/** Explains truncated output; the run continues without it. */
export const outputCut = "Output truncated. Write less; the script policy sets the limit.";

/** Limits that end a run, which the server names beside the error. */
const byLimit: Partial<Record<ScriptLimit, Ending>> = {
  timeout: "timeout",
  memory: "memory",
  host_calls: "host_calls",
  result: "result_too_large",
};

/** Error names that engines use for other causes than script errors; the shell has its own. */
const byName: Record<string, Ending> = {
  result_not_json: "result_not_json",
  ResultError: "wrong_result",
  stalled: "stalled",
  Stalled: "stalled",
  trap: "trap",
  Trap: "trap",
  StackOverflow: "trap",
};

const notRun = "The script was not run: ";

/** How a run ended, or null when it came to its own end. */
export function endingOf(outcome: ScriptOutcome): Ending | null {
  const { error, limitsHit, exitCode, networkAllowed } = outcome;
  if (outcome.timedOut) return "timeout";
  const limit = limitsHit.find((hit) => byLimit[hit] !== undefined);
  if (limit !== undefined) return byLimit[limit] ?? null;
  if (!networkAllowed && (error || (exitCode ?? 0) !== 0) && lacksNetwork.test(error?.message ?? outcome.stderr))
    return "no_network";
  if (!error) return null;
  if (error.name === "import_refused" || (error.name === "ImportError" && error.message.startsWith(notRun)))
    return "import_refused";
  if (error.message.startsWith(notRun)) return "not_run";
  // An exception of the script has a place in it, whatever its name.
  const named = error.stack.length === 0 && Object.hasOwn(byName, error.name) ? byName[error.name] : undefined;
  return named ?? "thrown";
}

const lacksNetwork = /this script has no network|the script has no access to the network/;

/** The few words about an ending. */
export function labelOf(ending: Ending, outcome: ScriptOutcome): string {
  if (ending === "thrown") return "Failed";
  if (ending === "timeout") return `Stopped after ${roughly(outcome.durationMs)}`;
  return endings[ending].label;
}

/** An error for people: the name of the thrown value, and the rest as sentences. */
export function errorText(
  ending: Ending,
  error: NonNullable<ScriptOutcome["error"]>,
): { name: string; message: string } {
  if (ending === "thrown" || ending === "no_network") return { name: error.name, message: error.message };
  const message = error.message.startsWith(notRun) ? error.message.slice(notRun.length) : error.message;
  const readable = message
    .replaceAll(/\b(\d{4,}) bytes\b/g, (_, count: string) => bytes(Number(count)))
    .replaceAll(/\b([\d.]+)(m?s)\b/g, "$1 $2");
  return { name: ending === "not_run" ? error.name : "", message: sentence(readable) };
}

/** A text of the server with a capital at the beginning and a full stop at the end. */
export function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/** The limit is a little less than the time until the script has ended. */
function roughly(milliseconds: number): string {
  const step = milliseconds < 1_000 ? 50 : 100;
  return `${(Math.floor(milliseconds / step) * step) / 1_000} s`;
}

function bytes(count: number): string {
  const [unit, size] = count >= 1_048_576 ? (["MiB", 1_048_576] as const) : (["KiB", 1_024] as const);
  return `${Number((count / size).toFixed(1))} ${unit}`;
}
