import type { ToolEffect } from "../api/agents";
import { isRecord } from "../api/record";

/** A custom tool in the payload of a proposal. */
export interface ProposedTool {
  agent: string;
  tool: string;
  description: string;
  source: string;
  argsSchema: Record<string, unknown>;
  effect?: ToolEffect;
}

/** A payload as a whole tool, or null. It comes from a model by way of the server, which has compiled it. */
export function proposedToolOf(payload: unknown): ProposedTool | null {
  if (!isRecord(payload)) return null;
  const tool = payload.tool_id ?? payload.toolId ?? payload.tool;
  const schema = payload.args_schema ?? payload.argsSchema;
  if (typeof tool !== "string" || typeof payload.source !== "string" || !isRecord(schema)) return null;
  return {
    agent: typeof payload.agent === "string" ? payload.agent : "",
    tool,
    description: typeof payload.description === "string" ? payload.description : "",
    source: payload.source,
    argsSchema: schema,
    ...((payload.effect === "read" || payload.effect === "mutate") && { effect: payload.effect }),
  };
}
