import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { CheckDefinition } from "../../api/health";
import { draftRun } from "../../api/healthcalls";
import { resultsOf } from "./results";

/** Runs what stands in the editor once. Stopped, nothing is waited for any more. */
export function useDraftRun(definition: CheckDefinition, systemId: string, environmentId: string) {
  const stopping = useRef<AbortController | null>(null);
  const [stopped, setStopped] = useState(false);
  const run = useMutation({
    mutationFn: (configuration: CheckDefinition) => {
      stopping.current = new AbortController();
      return draftRun(
        { configuration, systemId: systemId || undefined, environmentId: environmentId || undefined },
        stopping.current.signal,
      );
    },
  });
  return {
    run: run.data ?? null,
    /** Results of the collectors, by id. */
    results: resultsOf(run.data?.collectors),
    outdated: run.variables !== definition,
    busy: run.isPending,
    error: stopped ? null : run.error,
    start: () => {
      setStopped(false);
      run.mutate(definition);
    },
    stop: () => {
      setStopped(true);
      stopping.current?.abort();
    },
  };
}
