import type { ScriptArea, ScriptContextId, ScriptOutcome } from "../api/scripts";
import { isRecord } from "../api/record";
import { places, type Place } from "./places";

/** A test of a script that the assistant has run. */
export interface ScriptTestCall {
  place: Place;
  source: string;
  outcome: ScriptOutcome;
  /** Inputs of the run beside the script; absent where the assistant gave nothing. */
  given: { config?: unknown; sampleContext?: unknown; env?: unknown; timeoutMs?: unknown };
}

const areas: Record<string, ScriptArea> = {
  "healthcheck.testScript": "healthcheck",
  "automation.testScript": "automation",
};

export interface ScriptTool {
  name: string;
  input: unknown;
  output?: unknown;
}

/** A tool call as a test of a script, or null when it is another call, has no outcome yet, or is not as expected. */
export function scriptTestOf(call: ScriptTool): ScriptTestCall | null {
  const area = areas[call.name.includes(".") ? call.name : call.name.replace("_", ".")];
  const { input, output } = call;
  if (!area || !isRecord(input) || !isOutcome(output) || typeof input.source !== "string") return null;
  const place = places.find(({ id }) => id === (input.context as ScriptContextId));
  if (!place || place.area !== area) return null;
  const { config, sampleContext, env, timeoutMs } = input;
  const given = Object.fromEntries(
    Object.entries({ config, sampleContext, env, timeoutMs }).filter(([, value]) => value !== undefined),
  );
  return { place, source: input.source, outcome: output, given };
}

function isOutcome(value: unknown): value is ScriptOutcome {
  return (
    isRecord(value) &&
    ["stdout", "stderr"].every((field) => typeof value[field] === "string") &&
    typeof value.durationMs === "number" &&
    ["diagnostics", "logs", "limitsHit", "warnings"].every((field) => Array.isArray(value[field])) &&
    (value.error === undefined ||
      (isRecord(value.error) && typeof value.error.message === "string" && Array.isArray(value.error.stack)))
  );
}
