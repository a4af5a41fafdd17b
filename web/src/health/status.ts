/** Status of a target, a check or a system. No run yet is unknown; only systems are partly unknown. */
export type Status = "unknown" | "healthy" | "partly-unknown" | "degraded" | "unhealthy";

/** Worst first; what is not known comes before healthy. */
export const statuses: readonly Status[] = ["unhealthy", "degraded", "unknown", "partly-unknown", "healthy"];

/** Those of targets. */
export const targetStatuses = ["unhealthy", "degraded", "unknown", "healthy"] as const;

/** Other statuses of the server are unknown here. */
export const statusOf = (text: string | undefined): Status => statuses.find((status) => status === text) ?? "unknown";

export const verdicts = ["passed", "failed", "errored", "skipped"] as const;

export type Verdict = (typeof verdicts)[number];

/** Other verdicts of the server say nothing about the target. */
export const verdictOf = (text: string): Verdict => verdicts.find((verdict) => verdict === text) ?? "errored";
