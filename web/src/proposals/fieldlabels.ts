import type { FieldChange } from "../api/problem";
import { merged } from "../labels";
import { objectOf } from "../chat/verbs";

/** Fields whose names say little by themselves. */
const known = merged("fields");

/** Objects whose members are sets of names: "owners.Platform" is true for each that is in it. */
const sets = new Set(["owners", "environments", "systems", "roles", "rules", "members"]);

const idSuffix = /(?<=[a-z])Ids?$/;

/** "ownerTeamId" as "Owner team"; the id of what a tool is about is called as that is. */
function nameOf(part: string, toolName: string): string {
  if (Object.hasOwn(known, part)) return known[part] ?? part;
  if (part === "id") return sentence(objectOf(toolName)) || "Which";
  const plural = part.endsWith("Ids") ? "s" : "";
  return sentence(
    part
      .replace(idSuffix, plural)
      .replaceAll("_", " ")
      .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase(),
  );
}

/** The steps of a path as the server writes it: `metadata["on call"].tags[0]` is metadata, on call, tags, 0. */
export function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, quoted, index, plain] of path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)) {
    if (index !== undefined) steps.push(Number(index));
    else steps.push(quoted === undefined ? (plain ?? "") : unquoted(quoted));
  }
  return steps;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

/**
 * What a field is called: the first step in words, what people have named as they did. Without a tool, or of one that
 * people have written, fields are called as their authors call them.
 */
export function fieldLabel(steps: (string | number)[], toolName: string): string {
  const [first = "", ...rest] = steps;
  const words = rest.map((step) => (typeof step === "number" ? String(step + 1) : String(step)));
  return [nameOf(String(first), toolName), ...words].join(", ");
}

/** Why a change counts as taking something away, with the fields as people read them and not as the server names them. */
export const effectWords = (why: string, toolName: string): string =>
  why.replace(
    /^(This takes something away: )(.+?)( and more)?\.$/,
    (_, begin: string, fields: string, more = "") =>
      `${begin}${fields
        .split(", ")
        .map((field) => fieldLabel([field], toolName))
        .join(", ")}${more}.`,
  );

export interface Difference {
  key: string;
  label: string;
  before: unknown;
  after: unknown;
}

/**
 * Differences as people read them: one row for a list or a set of names, with what goes and what comes. A row never
 * leaves anything out: what only changes its place in a list is shown with the whole list.
 */
export function differences(changes: FieldChange[], toolName: string): Difference[] {
  const rows: Difference[] = [];
  const lists = new Map<string, { row: Difference; gone: unknown[]; come: unknown[] }>();
  for (const change of changes) {
    const steps = stepsOf(change.path);
    const last = steps.at(-1);
    const parent = steps.slice(0, -1);
    const inSet = parent.length === 1 && sets.has(String(parent[0])) && isMember(change);
    const inList = typeof last === "number" && [change.before, change.after].every(isScalar);
    if (last === undefined || parent.length === 0 || (!inSet && !inList)) {
      rows.push({ key: change.path, label: fieldLabel(steps, toolName), before: change.before, after: change.after });
      continue;
    }
    const key = `${inSet ? "set" : "list"} ${JSON.stringify(parent)}`;
    let list = lists.get(key);
    if (!list) {
      list = { row: { key, label: fieldLabel(parent, toolName), before: "", after: "" }, gone: [], come: [] };
      lists.set(key, list);
      rows.push(list.row);
    }
    if (inSet) (change.after === true ? list.come : list.gone).push(last);
    else {
      if (change.before !== null && change.before !== undefined) list.gone.push(change.before);
      if (change.after !== null && change.after !== undefined) list.come.push(change.after);
    }
  }
  for (const { row, gone, come } of lists.values()) {
    const only = without(gone, come);
    const added = without(come, gone);
    const moved = only.length === 0 && added.length === 0;
    row.before = (moved ? gone : only).map(String).join(", ");
    row.after = (moved ? come : added).map(String).join(", ");
  }
  return rows;
}

/** The elements of a list that another does not have, each as often as it has one more. */
function without(list: unknown[], other: unknown[]): unknown[] {
  const left = [...other];
  return list.filter((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function isMember({ before, after }: FieldChange): boolean {
  return (after === true && !before) || (before === true && !after);
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
