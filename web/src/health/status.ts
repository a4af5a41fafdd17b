import type { Tone } from "../ui/Badge";
import type { IconName } from "../ui/Icon";

/** Status of a target, a check or a system. No run yet is unknown; only systems are partly unknown. */
export type Status = "unknown" | "healthy" | "partly-unknown" | "degraded" | "unhealthy";

/** Worst first; what is not known comes before healthy. */
export const statuses: readonly Status[] = ["unhealthy", "degraded", "unknown", "partly-unknown", "healthy"];

/** Those of targets. */
export const targetStatuses = ["unhealthy", "degraded", "unknown", "healthy"] as const;

interface StatusWords {
  label: string;
  icon: IconName;
  tone: Tone;
  /** A class for text, and one for shapes. */
  text: string;
  fill: string;
}

export const statusWords: Record<Status, StatusWords> = {
  healthy: { label: "Healthy", icon: "healthy", tone: "success", text: "text-success", fill: "fill-success" },
  degraded: { label: "Degraded", icon: "alert", tone: "warning", text: "text-warning", fill: "fill-warning" },
  unhealthy: { label: "Unhealthy", icon: "unhealthy", tone: "danger", text: "text-danger", fill: "fill-danger" },
  "partly-unknown": {
    label: "Partly unknown",
    icon: "partly",
    tone: "neutral",
    text: "text-muted-foreground",
    fill: "fill-muted-foreground",
  },
  unknown: {
    label: "Unknown",
    icon: "help",
    tone: "neutral",
    text: "text-muted-foreground",
    fill: "fill-muted-foreground",
  },
};

/** Other statuses of the server are unknown here. */
export const statusOf = (text: string | undefined): Status => statuses.find((status) => status === text) ?? "unknown";

export type Verdict = "passed" | "failed" | "errored" | "skipped";

interface VerdictWords {
  label: string;
  icon: IconName;
  tone: Tone;
  hint: string;
}

export const verdictWords: Record<Verdict, VerdictWords> = {
  passed: { label: "Passed", icon: "check", tone: "success", hint: "All assertions passed." },
  failed: {
    label: "Failed",
    icon: "close",
    tone: "danger",
    hint: "The target failed an assertion or did not respond.",
  },
  errored: {
    label: "Not made",
    icon: "help",
    tone: "warning",
    hint: "Countersign could not run it; this says nothing about the target.",
  },
  skipped: { label: "Skipped", icon: "clock", tone: "neutral", hint: "The previous run was still active." },
};

export const verdictOf = (text: string): Verdict => (text in verdictWords ? (text as Verdict) : "errored");
