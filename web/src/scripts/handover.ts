import { isRecord } from "../api/record";
import { keepHandover } from "./draft";
import type { ScriptTestCall } from "./scripttest";

/** Takes the script to the playground, where its page finds it once. */
export function handOver({ place, source, given }: ScriptTestCall): void {
  keepHandover(place, {
    source,
    config: text(given.config),
    sample: text(given.sampleContext),
    env: text(given.env),
    timeout: typeof given.timeoutMs === "number" ? String(given.timeoutMs / 1_000) : undefined,
  });
}

function text(value: unknown): string | undefined {
  return isRecord(value) ? JSON.stringify(value, null, 2) : undefined;
}
