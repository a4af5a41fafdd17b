import type { Actor, Program } from "../api/audit";
import type { ChangeAction, ChangeEntry, ChangedField, Way } from "../api/history";
import type { Tone } from "../ui/Badge";

export const actionLabels: Record<ChangeAction, string> = {
  created: "created",
  changed: "changed",
  deleted: "deleted",
  added: "added",
  removed: "removed",
  granted: "granted",
  withdrawn: "withdrawn",
  archived: "archived",
  restored: "restored",
  erased: "erased",
  ran: "ran",
  "signed-in": "signed in",
  "sign-in-failed": "sign-in refused",
  "signed-out": "signed out",
  "token-refused": "token refused",
  "name-refused": "name refused",
  decided: "decided",
  refused: "refused again",
};

export const actionTones: Record<ChangeAction, Tone> = {
  created: "success",
  changed: "primary",
  deleted: "danger",
  added: "success",
  removed: "warning",
  granted: "warning",
  withdrawn: "warning",
  archived: "neutral",
  restored: "neutral",
  erased: "danger",
  ran: "neutral",
  "signed-in": "neutral",
  "sign-in-failed": "danger",
  "signed-out": "neutral",
  "token-refused": "danger",
  "name-refused": "warning",
  decided: "neutral",
  refused: "warning",
};

export const wayLabels: Record<Way, string> = {
  page: "Web app",
  api: "REST API",
  application: "Application",
  chat: "Chat",
  mcp: "MCP client",
  automation: "Automation",
  system: "Countersign",
};

/** Name of an actor, also of a deleted one: for applications the record holds the name. */
export function actorName({ kind, name, program }: Actor): string {
  if (name) return name;
  return kind === "application" && program?.name ? `${program.name} (deleted)` : `deleted ${kind}`;
}

/** A program by its unverified name. */
export function programName({ id, name }: Program): string {
  return name ? `“${name}”` : `the program ${id.length > 40 ? `${id.slice(0, 39)}…` : id}`;
}

/** Through which program a person has acted, with a space before it; "" when they did it themselves. */
export function throughProgram({ kind, program }: Actor): string {
  return kind === "user" && program ? ` through ${programName(program)}` : "";
}

/** Label of an actor. A refused sign-in has none, and the product acts by itself too. */
export function actorLabel({ actor, action }: Pick<ChangeEntry, "actor" | "action">): string {
  if (actor.name || actor.kind !== "service") return actorName(actor) + throughProgram(actor);
  return action === "sign-in-failed" || action === "token-refused" ? "not signed in" : "Countersign";
}

/** Fields whose names say little by themselves. */
const fieldLabels: Record<string, string> = {
  argsHash: "hash of the arguments",
  ok: "succeeded",
  revision: "revision",
  draft: "draft revision",
  ready: "ready revision",
  live: "live revision",
};

/** "tenMinutes" reads "ten minutes". */
export const fieldLabel = ({ field }: ChangedField) =>
  fieldLabels[field] ?? field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const answers: Record<string, string> = { true: "yes", false: "no" };

/**
 * Describes the change of a field; "" when only the fact of the change is kept. For runs and refusals the fields hold
 * details, not changes.
 */
export function fieldChange({ field, from, to }: ChangedField, action?: ChangeAction): string {
  if (from === undefined && to === undefined) return "";
  if ((action === "ran" || action === "refused") && to) return field === "ok" ? (answers[to] ?? to) : to;
  if (!from) return to ? `now ${to}` : "";
  return to ? `${from} → ${to}` : `no longer ${from}`;
}
