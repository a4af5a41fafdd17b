import type { TurnEntry, TurnFeedback, TurnLine } from "../api/turns";
import type { Tone } from "../ui/Badge";

/** How a turn is called that stands there. */
export const turnStatusWords: Record<TurnLine["status"], { label: string; tone: Tone }> = {
  pending: { label: "Queued", tone: "primary" },
  running: { label: "Running", tone: "primary" },
  done: { label: "Done", tone: "success" },
  failed: { label: "Failed", tone: "danger" },
  stopped: { label: "Stopped", tone: "neutral" },
};

/** Labels of a person's feedback. */
export const feedbackWords: Record<TurnFeedback, string> = {
  up: "Helped",
  down: "Did not help",
  comment: "With a comment",
};

export const entryStatusWords: Record<TurnEntry["status"], { label: string; tone: Tone }> = {
  running: { label: "running", tone: "primary" },
  done: { label: "done", tone: "success" },
  executed: { label: "done", tone: "success" },
  lost: { label: "process ended", tone: "warning" },
  failed: { label: "failed", tone: "danger" },
  refused: { label: "refused", tone: "warning" },
  proposed: { label: "proposed", tone: "primary" },
  applying: { label: "being applied", tone: "primary" },
  applied: { label: "applied", tone: "success" },
  declined: { label: "declined", tone: "neutral" },
  expired: { label: "expired", tone: "neutral" },
  skipped: { label: "skipped", tone: "neutral" },
};

const failures: Record<string, string> = {
  rate_limited: "the provider asked to slow down",
  unavailable: "the provider was not available",
  stalled: "the provider stopped sending",
  cut: "the answer was cut off",
  malformed: "the answer could not be read",
  unauthorized: "the provider refused the key",
  invalid: "the provider refused the request",
  context_length: "the conversation was too long",
  not_found: "no such model",
  content_filter: "the provider’s content filter",
  reply_limit: "the output limit was reached before the answer",
  canceled: "canceled",
  timeout: "took too long",
  host: "a fault on the server",
};

/** A sort of failure in words; codes of the API are words already. */
export const failureWords = (failure: string) => failures[failure] ?? failure.replaceAll("_", " ");

/** Title of an entry: "Model, step 2, attempt 3". */
export function entryTitle(entry: TurnEntry): string {
  switch (entry.kind) {
    case "model":
      return `Model, step ${entry.step}${entry.number > 1 ? `, attempt ${entry.number}` : ""}`;
    case "tool":
      return entry.tool ?? "A custom tool";
    case "wait":
      return "Wait before the next attempt";
    case "topic":
      return "Topic check";
    case "title":
      return "Chat title";
    case "summary":
      return "Chat summary";
  }
}

/** A cost in millionths: "0.0123". It has no currency: prices of connections have none. */
export function cost(micros: number): string {
  const amount = micros / 1_000_000;
  const digits = amount === 0 || amount >= 100 ? 2 : amount >= 0.01 ? 4 : 6;
  return amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: digits });
}

/** "1,204 in (800 cached), 31 out"; an estimate says so. */
export function tokenWords(entry: TurnEntry): string {
  if (entry.inputTokens === undefined || entry.outputTokens === undefined) {
    return entry.tokens > 0 ? `about ${entry.tokens.toLocaleString("en")}, not reported` : "";
  }
  const cached = entry.cachedTokens ? ` (${entry.cachedTokens.toLocaleString("en")} cached)` : "";
  return `${entry.inputTokens.toLocaleString("en")} in${cached}, ${entry.outputTokens.toLocaleString("en")} out`;
}
