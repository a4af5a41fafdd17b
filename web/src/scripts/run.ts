import { useCallback, useEffect, useRef, useState } from "react";
import { testScript, type ScriptArea, type ScriptOutcome, type ScriptTest } from "../api/scripts";

export type Run =
  | { state: "idle" }
  | { state: "running"; since: number }
  | { state: "done"; outcome: ScriptOutcome; source: string }
  | { state: "refused"; error: unknown }
  | { state: "cancelled" };

/** At most one run at a time. It is given up when the page goes away. */
export function useRun(area: ScriptArea) {
  const [run, setRun] = useState<Run>({ state: "idle" });
  const request = useRef<AbortController | null>(null);

  const start = useCallback(
    async (test: ScriptTest) => {
      if (request.current) return;
      const mine = new AbortController();
      request.current = mine;
      setRun({ state: "running", since: performance.now() });
      let next: Run;
      try {
        next = { state: "done", outcome: await testScript(area, test, mine.signal), source: test.source };
      } catch (error) {
        next = mine.signal.aborted ? { state: "cancelled" } : { state: "refused", error };
      }
      if (request.current !== mine) return;
      request.current = null;
      setRun(next);
    },
    [area],
  );
  const cancel = useCallback(() => request.current?.abort(), []);

  useEffect(
    () => () => {
      request.current?.abort();
      request.current = null;
    },
    [],
  );
  return { run, start, cancel };
}

/** The milliseconds since a run began, for people to watch. */
export function useElapsed(since: number): number {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const ticking = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(ticking);
  }, []);
  return Math.max(0, now - since);
}
