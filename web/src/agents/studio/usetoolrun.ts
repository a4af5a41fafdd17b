import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { DryRun, DryRunInput } from "../../api/agents";
import { dryRun, type ToolPlace } from "../../api/agentcalls";
import type { ToolDraft } from "./draft";

export interface ToolRun {
  input: DryRunInput;
  answer: DryRun;
  /** Content of the editor at the time of the call. */
  draft: Pick<ToolDraft, "source" | "schema">;
}

/** Calls a tool as it stands in the editor, one call at a time. Stopped, nothing is waited for any more. */
export function useToolRun(place: ToolPlace) {
  const stopping = useRef<AbortController | null>(null);
  const [stopped, setStopped] = useState(false);
  const run = useMutation({
    mutationFn: async ({ input, draft }: Omit<ToolRun, "answer">): Promise<ToolRun> => {
      stopping.current = new AbortController();
      return { input, draft, answer: await dryRun(place, input, stopping.current.signal) };
    },
  });
  useEffect(() => () => stopping.current?.abort(), []);
  return {
    last: run.data ?? null,
    busy: run.isPending,
    error: stopped ? null : run.error,
    stopped,
    start: (input: DryRunInput, draft: ToolRun["draft"]) => {
      if (run.isPending) return;
      setStopped(false);
      run.mutate({ input, draft });
    },
    stop: () => {
      setStopped(true);
      stopping.current?.abort();
    },
  };
}
