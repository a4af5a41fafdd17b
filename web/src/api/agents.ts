import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";

export type Agent = Schema<"AgentAgent">;
export type NewAgent = Schema<"AgentNewAgent">;
export type AgentChange = Schema<"AgentAgentChange">;
/** One state of an agent: a draft can be written, all others stay as they are. */
export type AgentRevision = Schema<"AgentRevision">;
export type RevisionState = AgentRevision["state"];
/** A revision with what it consists of. The members of a bundle are called as in its files. */
export type BundleOf = Schema<"AgentBundleOf">;
export type Bundle = BundleOf["bundle"];
export type AgentTool = Schema<"AgentTool">;
export type AgentSkill = Schema<"AgentSkill">;
export type Spec = Schema<"AgentSpec">;
export type ToolFields = Schema<"AgentToolInput">;
export type ToolEffect = AgentTool["effect"];
/** A finding in the author's TypeScript: lines and columns count from 1, the end is exclusive. */
export type ToolDiagnostic = Schema<"TypescriptToolDiagnostic">;
export type Capabilities = Schema<"TypescriptCapabilities">;
/** Result of a check. It stores nothing. */
export type ToolCheck = Schema<"AgentToolChecked">;
/** Obstacles to freezing a revision, and warnings. */
export type Verdict = Schema<"AgentVerdict">;
export type Finding = Schema<"AgentFinding">;
export type DryRunInput = Schema<"AgentDryRunInput">;
export type DryRun = Schema<"AgentDryRun">;
export type Example = Schema<"AgentExample">;
export type Expectation = NonNullable<Example["expect"]>;

/** Facts about the runtime of a tool, for its author. */
export const toolContextQuery = queryOptions({
  queryKey: ["script-context", "custom-tool"],
  queryFn: ({ signal }) =>
    answer(api.GET("/api/agent/script-contexts/{context}", { params: { path: { context: "custom-tool" } }, signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The access rules of agents. */
export const agentRules = { read: "agent.agent.read", manage: "agent.agent.manage" } as const;

/** Every query about agents starts with this key. */
export const agentsKey = ["agents"] as const;

const pageSize = 100;

export const agentsQuery = (query: string) =>
  infiniteQueryOptions({
    queryKey: [...agentsKey, "list", query],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/agents", { params: { query: { query: query || undefined, cursor, limit: pageSize } }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** An agent by its id or its slug. */
export const agentQuery = (agent: string) =>
  queryOptions({
    queryKey: [...agentsKey, "one", agent],
    queryFn: ({ signal }) => answer(api.GET("/api/agents/{id}", { params: { path: { id: agent } }, signal })),
  });

/** The revisions of an agent, the newest first. */
export const revisionsQuery = (agent: string) =>
  infiniteQueryOptions({
    queryKey: [...agentsKey, "revisions", agent],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/agents/{id}/revisions", {
          params: { path: { id: agent }, query: { cursor, limit: pageSize } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** Where a revision is found: an agent and a number, or the ids of both. */
export interface RevisionPlace {
  agent: string;
  rev: string;
}

export const revisionPath = ({ agent, rev }: RevisionPlace) => ({ id: agent, rev });

export const revisionQuery = (path: RevisionPlace) =>
  queryOptions({
    queryKey: [...agentsKey, "revision", path.agent, path.rev],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/agents/{id}/revisions/{rev}", { params: { path: revisionPath(path) }, signal })),
  });

export const bundleQuery = (path: RevisionPlace) =>
  queryOptions({
    queryKey: [...agentsKey, "bundle", path.agent, path.rev],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/agents/{id}/revisions/{rev}/bundle", { params: { path: revisionPath(path) }, signal })),
  });

/** Differences between two revisions. */
export const diffQuery = (path: RevisionPlace, against: string) =>
  queryOptions({
    queryKey: [...agentsKey, "diff", path.agent, path.rev, against],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/agents/{id}/revisions/{rev}/diff", {
          params: { path: revisionPath(path), query: { against } },
          signal,
        }),
      ),
  });

/** One call of a live tool. */
export type Use = Schema<"AgentUse">;

/** The calls of an agent's live tools, the newest first. */
export const usesQuery = (agent: string) =>
  infiniteQueryOptions({
    queryKey: [...agentsKey, "uses", agent],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/agents/{id}/uses", {
          params: { path: { id: agent }, query: { cursor, limit: 50 } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });
