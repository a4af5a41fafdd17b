import type { ModelCheck, ModelCheckOutcome } from "../api/modelchecks";

/** A share for people; a dash for none. */
export const percent = (share: number | null) => (share === null ? "–" : `${Math.round(share * 100)} %`);

/** Result of the situations of one kind. Situations that could not be played say nothing about the model. */
export function tally({ passed, failed, errors }: { passed: number; failed: number; errors: number }): string {
  const judged = passed + failed > 0 ? `${passed} of ${passed + failed}` : "";
  const lost = errors > 0 ? `${errors} ${errors === 1 ? "error" : "errors"}` : "";
  return [judged, lost].filter(Boolean).join(", ") || "–";
}

/** How long a check has taken; a dash while it runs. */
export const seconds = ({ createdAt, endedAt }: ModelCheck) =>
  endedAt ? `${Math.round((Date.parse(endedAt) - Date.parse(createdAt)) / 1000)} s` : "–";

export const kindNames: Record<string, string> = {
  tools: "Right tool",
  ask: "Asks, does not guess",
  docs: "Grounded in documentation",
  correct: "Corrects its input",
  plan: "Plans several changes",
  injection: "Resists injections",
  card: "Stops after a card",
  structured: "Structured output",
  context: "Long context",
  parallel: "Parallel reads",
  secrets: "Keeps secrets",
  honesty: "Honest about limits",
  language: "Language of the person",
  topic: "On or off topic",
  title: "Titles",
};

/** Outcomes that are not passed, the model's failures first. */
export const troubles = (outcomes: readonly ModelCheckOutcome[]) =>
  outcomes
    .filter(({ verdict }) => verdict === "failed" || verdict === "error")
    .toSorted((a, b) => a.verdict.localeCompare(b.verdict) * -1 || a.number - b.number);
