import type { Place } from "./places";

/** Typed state of the playground. Everything but the source is text that may not be valid yet. */
export interface Draft {
  source: string;
  config: string;
  sample: string;
  env: string;
  timeout: string;
  checkTypes: boolean;
}

export const defaultTimeout = "30";

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

export function firstDraft(place: Place, starter: string): Draft {
  return {
    source: starter,
    config: place.config === undefined ? "" : pretty(place.config),
    sample: pretty(place.sample),
    env: "{}",
    timeout: defaultTimeout,
    checkTypes: place.language === "typescript",
  };
}

/** Drafts belong to a person: a browser can be shared. */
const storageKey = (person: string, place: Place) => `countersign.script.${person}.${place.id}`;

/** The kept draft, or null when there is none that can be read. */
export function loadDraft(person: string, place: Place): Draft | null {
  try {
    return parseDraft(localStorage.getItem(storageKey(person, place)));
  } catch {
    // Storage is blocked: a draft lasts as long as the page.
    return null;
  }
}

export function keepDraft(person: string, place: Place, draft: Draft): void {
  try {
    localStorage.setItem(storageKey(person, place), JSON.stringify(draft));
  } catch {
    // Storage is blocked or full.
  }
}

/** Scripts that are kept beside the one in the editor. */
const mostBeside = 5;

const besideKey = (person: string, place: Place) => `countersign.script.beside.${person}.${place.id}`;

/** Keeps what scripts from elsewhere have taken the place of, the next to be brought back first. */
export function keepBeside(person: string, place: Place, drafts: readonly Draft[]): void {
  try {
    if (drafts.length > 0) localStorage.setItem(besideKey(person, place), JSON.stringify(drafts));
    else localStorage.removeItem(besideKey(person, place));
  } catch {
    // Storage is blocked or full: undo still brings the source back.
  }
}

export function loadBeside(person: string, place: Place): Draft[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(besideKey(person, place)) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isDraft) : [];
  } catch {
    return [];
  }
}

/** The scripts beside one, with another that it takes the place of; none stands twice. */
export const putBeside = (present: Draft, replaced: Draft, beside: readonly Draft[]): Draft[] =>
  [replaced, ...beside.filter((one) => !sameDraft(one, replaced))]
    .filter((one) => !sameDraft(one, present))
    .slice(0, mostBeside);

/** Script from elsewhere, such as the chat, on its way to the playground. Omitted members stay as they are there. */
export type Handover = Partial<Omit<Draft, "source" | "checkTypes">> & { source: string };

const handoverKey = "countersign.script.handover";

export function keepHandover(place: Place, handover: Handover): void {
  try {
    sessionStorage.setItem(handoverKey, JSON.stringify({ place: place.id, handover }));
  } catch {
    // Storage is blocked: the playground opens as it was left.
  }
}

/** The script that is on its way to a place. */
export function readHandover(place: Place): Handover | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(handoverKey) ?? "null");
    if (typeof kept !== "object" || kept === null) return null;
    const { place: id, handover } = kept as { place?: unknown; handover?: Handover };
    return id === place.id && typeof handover?.source === "string" ? handover : null;
  } catch {
    return null;
  }
}

/** It has arrived. */
export function dropHandover(): void {
  try {
    sessionStorage.removeItem(handoverKey);
  } catch {
    // Storage is blocked, so there is none.
  }
}

export function parseDraft(kept: string | null): Draft | null {
  if (kept === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(kept);
  } catch {
    return null;
  }
  return isDraft(value) ? value : null;
}

export const sameDraft = (a: Draft, b: Draft) =>
  (Object.keys(a) as (keyof Draft)[]).every((field) => a[field] === b[field]);

function isDraft(value: unknown): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  const draft = value as Record<string, unknown>;
  return (
    ["source", "config", "sample", "env", "timeout"].every((field) => typeof draft[field] === "string") &&
    typeof draft.checkTypes === "boolean"
  );
}
