import type { Actor, CallEffect, CallStatus, Repeats, Transport } from "../api/audit";
import { programName } from "../history/words";
import type { Tone } from "../ui/Badge";

export const callStatusTones: Record<CallStatus, Tone> = {
  running: "primary",
  executed: "success",
  failed: "danger",
  refused: "warning",
  proposed: "primary",
  applying: "primary",
  applied: "success",
  declined: "neutral",
  expired: "neutral",
  skipped: "neutral",
};

export const effectTones: Record<CallEffect, Tone> = { read: "neutral", mutate: "warning", destructive: "danger" };

export const transportLabels: Record<Transport, string> = {
  chat: "Chat",
  mcp: "MCP client",
  automation: "Automation",
  api: "REST API",
};

/** How often a call was refused after the one that has a row, in words. */
export function refusedAgain({ count, first, last, severalTools }: Repeats, time: (iso: string) => string): string {
  const calls = severalTools ? ", calls of several tools" : "";
  if (count === 1) return `once${calls}, ${time(first)}`;
  return `${count.toLocaleString()} times${calls}, from ${time(first)} to ${time(last)}`;
}

/** Names of those that a log is narrowed to, as far as its entries hold them. */
export function narrowedNames(actors: (Actor | undefined)[], alone: { principal?: string; program?: string }) {
  const principal = actors.find((actor) => actor?.id === alone.principal);
  const program = actors.map((actor) => actor?.program).find((one) => one?.id === alone.program);
  return { principalName: principal?.name, programName: program && programName(program) };
}
