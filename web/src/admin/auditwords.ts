import type { CallEffect, CallStatus, Transport } from "../api/audit";
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
