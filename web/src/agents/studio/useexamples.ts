import { useEffect, useRef, useState } from "react";
import type { DryRunInput, Example } from "../../api/agents";
import { dryRun, type ToolPlace } from "../../api/agentcalls";
import { explain } from "../../api/problem";
import { differs } from "./answers";

/** Result of an example: null when as expected, otherwise the difference as text. */
export type Verdicts = ReadonlyMap<string, string | null>;

const none: Verdicts = new Map();

/** Runs saved examples against what stands in the editor, one after the other. */
export function useExamples(place: ToolPlace) {
  const [verdicts, setVerdicts] = useState<Verdicts>(none);
  const [running, setRunning] = useState<string | null>(null);
  const stopping = useRef<AbortController | null>(null);
  useEffect(() => () => stopping.current?.abort(), []);

  const run = async (examples: readonly Example[], source: Pick<DryRunInput, "source" | "args_schema">) => {
    if (stopping.current) return;
    const mine = new AbortController();
    stopping.current = mine;
    setVerdicts(none);
    for (const { name, args, mock_secrets, expect } of examples) {
      setRunning(name);
      const verdict = await dryRun(place, { args, mock_secrets, ...source }, mine.signal).then(
        (answer) => differs(expect, answer),
        (error: unknown) => explain(error),
      );
      if (mine.signal.aborted) break;
      setVerdicts((before) => new Map([...before, [name, verdict]]));
    }
    stopping.current = null;
    setRunning(null);
  };
  return {
    verdicts,
    running,
    run: (examples: readonly Example[], source: Pick<DryRunInput, "source" | "args_schema">) =>
      void run(examples, source),
    stop: () => stopping.current?.abort(),
    /** The verdicts are about another source. */
    clear: () => setVerdicts(none),
  };
}
