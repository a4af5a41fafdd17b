import type { ProposalStatus } from "../api/proposals";

export interface Countdown {
  expired: boolean;
  /** Minutes and seconds left, such as "9:05"; from an hour on hours and minutes, such as "23 h 05 min". */
  label: string;
  /** Less than a minute is left. */
  urgent: boolean;
}

export function countdown(expiresAt: string, now: number): Countdown {
  const left = Math.max(0, Math.ceil((Date.parse(expiresAt) - now) / 1_000)) || 0;
  return {
    expired: left === 0,
    label: left >= 3_600 ? hours(left) : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`,
    urgent: left > 0 && left < 60,
  };
}

/** Whole hours and minutes, such as "23 h 05 min", without seconds. */
function hours(seconds: number): string {
  return `${Math.floor(seconds / 3_600)} h ${String(Math.floor((seconds % 3_600) / 60)).padStart(2, "0")} min`;
}

/**
 * The status to show. A pending card whose time is over is closed at once,
 * before the server's own answer says so.
 */
export function shownStatus(status: ProposalStatus, expiresAt: string, now: number): ProposalStatus {
  return status === "proposed" && countdown(expiresAt, now).expired ? "expired" : status;
}
