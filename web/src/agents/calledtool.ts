import type { Schema } from "../api/client";
import { isRecord } from "../api/record";

/** How a call of a live tool went. */
export type Called = Schema<"AgentCalled">;

/** Reads the result of an applied call, or null: only the approver receives the tool's output. */
export function calledOf(result: unknown): Called | null {
  if (!isRecord(result)) return null;
  const { tool_id, ok, revision, error, auth_required } = result;
  if (typeof tool_id !== "string" || typeof ok !== "boolean" || typeof revision !== "number") return null;
  if (error !== undefined && !(isRecord(error) && [error.code, error.message].every(isText))) return null;
  if (auth_required !== undefined && !(isRecord(auth_required) && isText(auth_required.detail))) return null;
  return { ...result, duration_ms: typeof result.duration_ms === "number" ? result.duration_ms : 0 } as Called;
}

const isText = (value: unknown) => typeof value === "string";
