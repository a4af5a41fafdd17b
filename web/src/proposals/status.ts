import type { ProposalStatus } from "../api/proposals";
import type { Tone } from "../ui/Badge";

export const statusTones: Record<ProposalStatus, Tone> = {
  proposed: "primary",
  applying: "primary",
  applied: "success",
  failed: "danger",
  declined: "neutral",
  expired: "neutral",
  skipped: "neutral",
};

export const statusLabels: Record<ProposalStatus, string> = {
  proposed: "Waiting for you",
  applying: "Applying…",
  applied: "Applied",
  failed: "Failed",
  declined: "Declined",
  expired: "Expired",
  skipped: "Not applied",
};
