import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { bundleQuery, type BundleOf, type ToolFields } from "../../api/agents";
import { putTool, seenIn } from "../../api/agentcalls";
import { newId } from "../../api/client";
import { Problem } from "../../api/problem";
import { draftOf, same } from "./draft";

interface Save {
  agent: string;
  number: number;
  toolId: string;
}

/**
 * Writes a tool into the revision that was read (optimistic concurrency). If only other parts changed meanwhile, that
 * is no conflict: the write is retried on the stored revision.
 */
export function useSave({ agent, number, toolId }: Save) {
  const queryClient = useQueryClient();
  return useCallback(
    async (base: BundleOf, fields: ToolFields, key: string) => {
      try {
        return await putTool(seenIn(agent, base), toolId, fields, key);
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 412) throw error;
        const now = await queryClient.fetchQuery({ ...bundleQuery({ agent, rev: String(number) }), staleTime: 0 });
        if (now.state !== "draft" || !same(toolIn(now, toolId), toolIn(base, toolId))) throw error;
        return putTool(seenIn(agent, now), toolId, fields, newId());
      }
    },
    [queryClient, agent, number, toolId],
  );
}

/** Writable fields of a tool in a bundle; null when it is absent. */
function toolIn({ bundle }: BundleOf, id: string) {
  const tool = bundle.tools.find((one) => one.id === id);
  return tool ? draftOf(tool) : null;
}
