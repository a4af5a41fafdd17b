import { answer, api, of, once, seen } from "./client";
import {
  type Agent,
  type AgentChange,
  type AgentRevision,
  type AgentSkill,
  type BundleOf,
  type DryRunInput,
  type Example,
  type NewAgent,
  type RevisionPlace,
  type Spec,
  type ToolFields,
  revisionPath,
} from "./agents";

// Changes and checks of agents stand apart from the queries, which area.ts brings into the first load.

export const createAgent = (body: NewAgent, key: string) =>
  answer(api.POST("/api/agents", { params: { header: once(key) }, body }));

export const updateAgent = (agent: Agent, body: AgentChange, key: string) =>
  answer(api.PATCH("/api/agents/{id}", { params: of(agent, key), body }));

export const deleteAgent = (agent: Agent, key: string) =>
  answer(api.DELETE("/api/agents/{id}", { params: of(agent, key) }));

/** A revision as the caller has seen it: what a write of it names. */
export interface SeenRevision {
  agent: string;
  rev: string;
  revision: number;
}

/** The bundle that was read, as what a write of it names. */
export const seenIn = (agent: string, bundle: BundleOf): SeenRevision => ({
  agent,
  rev: bundle.revision_id,
  revision: bundle.revision,
});

const ofRevision = ({ agent, rev, revision }: SeenRevision, key: string) => ({
  path: { id: agent, rev },
  header: { ...seen({ revision }), ...once(key) },
});

export const createRevision = (agent: string, cloneFrom: string | undefined, key: string) =>
  answer(
    api.POST("/api/agents/{id}/revisions", {
      params: { path: { id: agent }, header: once(key) },
      body: cloneFrom ? { cloneFrom } : {},
    }),
  );

export const deleteDraft = (revision: AgentRevision, key: string) =>
  answer(
    api.DELETE("/api/agents/{id}/revisions/{rev}", {
      params: ofRevision({ agent: revision.agentId, rev: revision.id, revision: revision.revision }, key),
    }),
  );

export const putAgentMd = (place: SeenRevision, content: string, key: string) =>
  answer(api.PUT("/api/agents/{id}/revisions/{rev}/agent_md", { params: ofRevision(place, key), body: { content } }));

export const putSpec = (place: SeenRevision, spec: Spec, key: string) =>
  answer(api.PUT("/api/agents/{id}/revisions/{rev}/spec", { params: ofRevision(place, key), body: { spec } }));

/** The parameters of a write of one part of a bundle. */
const ofPart = <Part extends Record<string, string>>(place: SeenRevision, part: Part, key: string) => {
  const { path, header } = ofRevision(place, key);
  return { path: { ...path, ...part }, header };
};

export const putSkill = (place: SeenRevision, { id, ...body }: AgentSkill, key: string) =>
  answer(
    api.PUT("/api/agents/{id}/revisions/{rev}/skills/{skill}", { params: ofPart(place, { skill: id }, key), body }),
  );

export const deleteSkill = (place: SeenRevision, id: string, key: string) =>
  answer(api.DELETE("/api/agents/{id}/revisions/{rev}/skills/{skill}", { params: ofPart(place, { skill: id }, key) }));

export const putTool = (place: SeenRevision, id: string, body: ToolFields, key: string) =>
  answer(api.PUT("/api/agents/{id}/revisions/{rev}/tools/{tool}", { params: ofPart(place, { tool: id }, key), body }));

export const deleteTool = (place: SeenRevision, id: string, key: string) =>
  answer(api.DELETE("/api/agents/{id}/revisions/{rev}/tools/{tool}", { params: ofPart(place, { tool: id }, key) }));

/** Where one tool is. */
export interface ToolPlace {
  agent: string;
  rev: string;
  tool: string;
}

const toolPath = ({ agent, rev, tool }: ToolPlace) => ({ id: agent, rev, tool });

/** Checks a tool: errors and capabilities. It stores nothing. */
export const checkTool = (place: ToolPlace, body: ToolFields, signal?: AbortSignal) =>
  answer(
    api.POST("/api/agents/{id}/revisions/{rev}/tools/{tool}/check", {
      params: { path: toolPath(place) },
      body,
      signal,
    }),
  );

/** One call of a tool with placeholders instead of secrets. Nothing is stored. */
export const dryRun = (place: ToolPlace, body: DryRunInput, signal?: AbortSignal) =>
  answer(
    api.POST("/api/agents/{id}/revisions/{rev}/tools/{tool}/dry_run", {
      params: { path: toolPath(place) },
      body,
      signal,
    }),
  );

export const putExamples = (place: SeenRevision, id: string, examples: Example[], key: string) =>
  answer(
    api.PUT("/api/agents/{id}/revisions/{rev}/tools/{tool}/examples", {
      params: ofPart(place, { tool: id }, key),
      body: { examples },
    }),
  );

export const validateRevision = (path: RevisionPlace) =>
  answer(api.POST("/api/agents/{id}/revisions/{rev}/validate", { params: { path: revisionPath(path) } }));

export const freezeRevision = (place: SeenRevision, key: string) =>
  answer(api.POST("/api/agents/{id}/revisions/{rev}/freeze", { params: ofRevision(place, key) }));

export const promoteRevision = (place: SeenRevision, key: string) =>
  answer(api.POST("/api/agents/{id}/revisions/{rev}/promote", { params: ofRevision(place, key) }));

export const archiveRevision = (place: SeenRevision, key: string) =>
  answer(api.POST("/api/agents/{id}/revisions/{rev}/archive", { params: ofRevision(place, key) }));
