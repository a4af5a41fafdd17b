import type { Proposal } from "../api/proposals";
import { isRecord } from "../api/record";

/** Kind of record with a page, or a place on one. */
export type Kind =
  | "system"
  | "group"
  | "environment"
  | "team"
  | "check"
  | "agent"
  | "memory"
  | "policy"
  | "user"
  | "role";

export interface Place {
  kind: Kind;
  id: string;
  /** Its name, as far as the card has it. */
  name?: string;
}

/** The payload member that identifies a tool's target. The payload names the kind of an object beside it. */
const targets: Record<string, [kind: Kind | "object", member: string]> = {
  "catalog.updateSystem": ["system", "id"],
  "catalog.deleteSystem": ["system", "id"],
  "catalog.setSystemOwner": ["system", "id"],
  "catalog.setSystemEnvironments": ["system", "systemId"],
  "catalog.addSystemContact": ["system", "systemId"],
  "catalog.removeSystemContact": ["system", "systemId"],
  "catalog.addSystemLink": ["system", "systemId"],
  "catalog.removeSystemLink": ["system", "systemId"],
  "catalog.addSystemToGroup": ["group", "groupId"],
  "catalog.removeSystemFromGroup": ["group", "groupId"],
  "catalog.updateGroup": ["group", "id"],
  "catalog.deleteGroup": ["group", "id"],
  "catalog.updateEnvironment": ["environment", "id"],
  "catalog.deleteEnvironment": ["environment", "id"],
  "healthcheck.propose": ["system", "assignToSystemId"],
  "healthcheck.update": ["check", "id"],
  "healthcheck.delete": ["check", "id"],
  "healthcheck.setPaused": ["check", "id"],
  "healthcheck.assign": ["check", "checkId"],
  "healthcheck.unassign": ["check", "checkId"],
  "healthcheck.runNow": ["check", "checkId"],
  "agent.proposeTool": ["agent", "agent"],
  "ai.deleteMemory": ["memory", "id"],
  "ai.setToolPolicy": ["policy", "tool"],
  "auth.updateUser": ["user", "id"],
  "auth.deleteUser": ["user", "id"],
  "auth.updateRole": ["role", "id"],
  "auth.deleteRole": ["role", "id"],
  "auth.addTeamMember": ["team", "id"],
  "auth.setGrants": ["object", "objectId"],
  "auth.deleteGrants": ["object", "objectId"],
};

/** Kinds of the object types that grants are on. */
const objects: Record<string, Kind> = {
  "catalog.system": "system",
  "catalog.group": "group",
  "healthcheck.healthcheck": "check",
  "agent.agent": "agent",
};

/** Which member of a result is what a tool has made; "" when the result is. */
const results: Record<string, [kind: Kind, member: string]> = {
  "catalog.createSystem": ["system", "system"],
  "catalog.createGroup": ["group", "group"],
  "catalog.createEnvironment": ["environment", "environment"],
  "healthcheck.propose": ["check", "check"],
  "ai.saveMemory": ["memory", ""],
  "auth.createUser": ["user", ""],
};

/** Record that a change is about, before it is made; null where it has no page. */
export function targetOf({
  toolName,
  payload,
  labels,
}: Pick<Proposal, "toolName" | "payload" | "labels">): Place | null {
  const [said, member] = targets[toolName] ?? [];
  const kind = said === "object" ? objects[textOf(payload, "objectType") ?? ""] : said;
  const id = kind && member ? textOf(payload, member) : null;
  return kind && id ? { kind, id, name: labels?.[id] } : null;
}

/** Record to open after a change: the created one, else its target, unless that is gone. */
export function resultOf(proposal: Pick<Proposal, "toolName" | "payload" | "labels" | "result">): Place | null {
  const { toolName, result } = proposal;
  const [kind, member] = results[toolName] ?? [];
  if (kind) {
    const made = member && isRecord(result) ? result[member] : result;
    const id = textOf(made, "id");
    return id ? { kind, id, name: textOf(made, "name") ?? undefined } : null;
  }
  const gone = /\.delete/.test(toolName) && targets[toolName]?.[0] !== "object";
  return gone ? null : targetOf(proposal);
}

const nouns: Record<Kind, string> = {
  system: "system",
  group: "group",
  environment: "environment",
  team: "team",
  check: "health check",
  agent: "agent",
  memory: "memory",
  policy: "policy",
  user: "person",
  role: "role",
};

export const nounOf = (place: Place) => nouns[place.kind];

function textOf(value: unknown, member: string): string | null {
  const text = isRecord(value) ? value[member] : undefined;
  return typeof text === "string" && text !== "" ? text : null;
}
