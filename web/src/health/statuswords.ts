import type { Tone } from "../ui/Badge";
import type { IconName } from "../ui/Icon";
import type { Status, Verdict } from "./status";

// Texts stand apart from the lists, which area.ts brings into the first load.

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
