import type { Proposal } from "../api/proposals";
import { isRecord } from "../api/record";
import type { RecordKind } from "../area";
import { merged } from "../labels";

/** A record with a page, or a place on one. */
export interface Place {
  kind: string;
  id: string;
  /** Its name, as far as the card has it. */
  name?: string;
}

const records = merged("records");
const targets = merged("targets");
const results = merged("results");

/** Tools that set who may access an object, whose payload names its type. */
const grants: ReadonlySet<string> = new Set(["auth.setGrants", "auth.deleteGrants"]);

/** Record that a change is about, before it is made; null where it has no page. */
export function targetOf({
  toolName,
  payload,
  labels,
}: Pick<Proposal, "toolName" | "payload" | "labels">): Place | null {
  const granted = grants.has(toolName) ? kindOf(textOf(payload, "objectType")) : undefined;
  const [kind, member] = granted ? [granted, "objectId"] : (targets[toolName] ?? []);
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
  const gone = /\.delete/.test(toolName) && !grants.has(toolName);
  return gone ? null : targetOf(proposal);
}

export const recordOf = ({ kind }: Place): RecordKind | undefined => records[kind];

const kindOf = (objectType: string | null) =>
  Object.keys(records).find((kind) => objectType !== null && records[kind]?.objectType === objectType);

function textOf(value: unknown, member: string): string | null {
  const text = isRecord(value) ? value[member] : undefined;
  return typeof text === "string" && text !== "" ? text : null;
}
