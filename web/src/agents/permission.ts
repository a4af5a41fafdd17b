import { useQuery } from "@tanstack/react-query";
import { agentRules, type AgentRevision } from "../api/agents";
import { holds, meQuery } from "../api/session";

/** Actions to offer beside those that access to one agent allows. The server decides again on every request. */
export function useAgentPermission() {
  const { data: me } = useQuery(meQuery);
  return { me, manage: holds(me, agentRules.manage) };
}

type Stated = Pick<AgentRevision, "state">;

/** Only a draft can be written. */
export const isDraft = ({ state }: Stated) => state === "draft";

/** A frozen revision can go live, also again. */
export const canGoLive = ({ state }: Stated) => state === "ready" || state === "archived";

export const canBeArchived = ({ state }: Stated) => state === "ready" || state === "live";
