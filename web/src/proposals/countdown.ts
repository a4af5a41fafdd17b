import type { ProposalStatus } from "../api/proposals";

export interface Countdown {
  expired: boolean;
  /** Minutes and seconds left, such as "9:05". */
  label: string;
  /** Less than a minute is left. */
  urgent: boolean;
}

export function countdown(expiresAt: string, now: number): Countdown {
  const left = Math.max(0, Math.ceil((Date.parse(expiresAt) - now) / 1_000)) || 0;
  return {
    expired: left === 0,
    label: `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`,
    urgent: left > 0 && left < 60,
  };
}

/**
 * The status to show. A pending card whose time is over is closed at once,
 * before the server's own answer says so.
 */
export function shownStatus(status: ProposalStatus, expiresAt: string, now: number): ProposalStatus {
  return status === "proposed" && countdown(expiresAt, now).expired ? "expired" : status;
}
