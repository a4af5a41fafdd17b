import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { bundleQuery, putTool, seenIn, type BundleOf, type ToolFields } from "../../api/agents";
import { newId } from "../../api/client";
import { Problem } from "../../api/problem";
import { draftOf, same } from "./draft";

interface Save {
  agent: string;
  number: number;
  toolId: string;
}

/**
 * Writes a tool into the revision as it was read. When somebody has written another part of the revision meanwhile, and not this
 * tool, that is no conflict: it is written again, into what is stored now.
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

/** What can be written of a tool as it is in a bundle; null when it is not there. */
function toolIn({ bundle }: BundleOf, id: string) {
  const tool = bundle.tools.find((one) => one.id === id);
  return tool ? draftOf(tool) : null;
}
