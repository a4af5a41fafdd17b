import type { ScriptPolicy } from "../api/scriptpolicy";
import type { ConflictField, Side } from "../ui/ConflictNotice";
import { limitFields, networks, policyDraftOf, type PolicyDraft } from "./scriptlimits";

/** A field that two people have set to different values. */
export interface PolicyClash {
  name: string;
  mine: string;
  stored: string;
  takes: Side;
}

interface PolicyField {
  name: string;
  label: string;
  get: (draft: PolicyDraft) => string;
  set: (draft: PolicyDraft, value: string) => PolicyDraft;
  /** A value in words. */
  words: (value: string) => string;
}

const asIs = (value: string) => value;

const fields: PolicyField[] = [
  {
    name: "network",
    label: "Network",
    get: ({ network }) => network,
    set: (draft, value) => ({ ...draft, network: value as PolicyDraft["network"] }),
    words: (value) => networks[value as PolicyDraft["network"]].label,
  },
  {
    name: "allow",
    label: "Allowlist",
    get: ({ allow }) => allow,
    set: (draft, allow) => ({ ...draft, allow }),
    words: asIs,
  },
  ...(["test", "run"] as const).flatMap((set) =>
    limitFields.map(({ name, label, unit }): PolicyField => ({
      name: `${set}.${name}`,
      label: `${set === "test" ? "Tests" : "Real runs"}, ${label.toLowerCase()}`,
      get: (draft) => draft[set][name],
      set: (draft, value) => ({ ...draft, [set]: { ...draft[set], [name]: value } }),
      words: (value) => `${value} ${unit}`,
    })),
  ),
];

/**
 * Merges the form with a policy saved meanwhile: fields unchanged here take theirs, fields changed only here keep mine,
 * and for fields changed by both mine counts until the person chooses.
 */
export function mergePolicies(
  base: ScriptPolicy,
  stored: ScriptPolicy,
  draft: PolicyDraft,
  chosen: readonly PolicyClash[] = [],
): { draft: PolicyDraft; clashes: PolicyClash[] } {
  const before = policyDraftOf(base);
  const after = policyDraftOf(stored);
  const clashes: PolicyClash[] = [];
  let merged = draft;
  for (const { name, get, set } of fields) {
    const theirs = get(after);
    const known = chosen.find((clash) => clash.name === name);
    const mine = known?.takes === "theirs" ? known.mine : get(draft);
    const untouched = !known && mine === get(before);
    if (untouched || mine === theirs || known?.takes === "theirs") merged = set(merged, theirs);
    if (!untouched && mine !== theirs && (known || theirs !== get(before)))
      clashes.push({ name, mine, stored: theirs, takes: known?.takes ?? "mine" });
  }
  return { draft: merged, clashes };
}

/** The draft and the clashes once a field takes one of its values. */
export function choosePolicy(
  draft: PolicyDraft,
  clashes: readonly PolicyClash[],
  name: string,
  takes: Side,
): { draft: PolicyDraft; clashes: PolicyClash[] } {
  const field = fields.find((one) => one.name === name);
  let next = draft;
  const chosen = clashes.map((clash) => {
    if (!field || clash.name !== name || clash.takes === takes) return clash;
    const mine = takes === "theirs" ? field.get(draft) : clash.mine;
    next = field.set(draft, takes === "theirs" ? clash.stored : mine);
    return { ...clash, mine, takes };
  });
  return { draft: next, clashes: chosen };
}

/** Clashes as a person chooses between them. */
export const clashFields = (clashes: readonly PolicyClash[]): ConflictField[] =>
  clashes.map(({ name, mine, stored, takes }) => {
    const field = fields.find((one) => one.name === name);
    const words = field?.words ?? asIs;
    return { name, label: field?.label ?? name, takes, mine: words(mine), theirs: words(stored) };
  });
