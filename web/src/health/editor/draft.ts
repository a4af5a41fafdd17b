import { newId } from "../../api/client";
import type {
  Check,
  CheckChange,
  CheckCollector,
  CheckDefinition,
  CollectorKind,
  Kinds,
  NewCheck,
} from "../../api/health";

/** Typed state of a check. */
export interface CheckDraft {
  name: string;
  description: string;
  strategyId: string;
  config: Record<string, unknown>;
  /** As it is typed. */
  interval: string;
  collectors: DraftCollector[];
  keptFields: string[];
  /** None: the main one alone. */
  locations: string[];
  locationRule: LocationRule;
}

/** From how many of its locations a check has to be down. */
export type LocationRule = NonNullable<CheckDefinition["locationRule"]>;

export interface DraftCollector extends CheckCollector {
  id: string;
  config: Record<string, unknown>;
}

export const defaultInterval = 60;

/** Initial state of the editor: the check, or a new one of the first kind. */
export function draftOf(check: Check | undefined, kinds: Kinds): CheckDraft {
  if (!check) {
    const [first] = kinds.strategies;
    return {
      name: "",
      description: "",
      interval: String(defaultInterval),
      keptFields: [],
      locations: [],
      locationRule: "majority",
      ...partsOf(first?.id ?? "", kinds),
    };
  }
  return {
    name: check.name,
    description: check.description,
    strategyId: check.strategyId,
    config: check.config ?? {},
    interval: String(check.intervalSeconds),
    collectors: check.collectors.map(({ assertions, ...collector }) => ({
      ...collector,
      id: collector.id ?? newId(),
      config: collector.config ?? {},
      // An empty list counts as a choice: it is sent only when the user makes that choice.
      ...((assertions?.length || !needsAssertions(collector.collectorId, kinds)) && { assertions }),
    })),
    keptFields: check.keptFields ?? [],
    locations: check.locations ?? [],
    locationRule: check.locationRule ?? "majority",
  };
}

/** The empty parts of a kind, with its first collector. */
export function partsOf(strategyId: string, kinds: Kinds): Pick<CheckDraft, "strategyId" | "config" | "collectors"> {
  const collector = kinds.strategies.find(({ id }) => id === strategyId)?.collectors[0];
  return { strategyId, config: {}, collectors: collector ? [newCollector(collector)] : [] };
}

/**
 * A collector with the assertions of its kind, which can be removed: then any result passes. Of a kind that needs some and has no
 * defaults they are left out, until they are written or given up.
 */
export const newCollector = (
  kind: Pick<CollectorKind, "id" | "defaultAssertions" | "needsAssertions">,
): DraftCollector => ({
  id: newId(),
  collectorId: kind.id,
  config: {},
  ...(!kind.needsAssertions && { assertions: [...kind.defaultAssertions] }),
});

const needsAssertions = (collectorId: string, kinds: Kinds) =>
  kinds.strategies.some(({ collectors }) =>
    collectors.some((kind) => kind.id === collectorId && kind.needsAssertions !== undefined),
  );

/** Definition to run. A text that is no number is sent as none, for the server to refuse. */
export function definitionOf(draft: CheckDraft): CheckDefinition {
  const kept = draft.keptFields.filter((field) => draft.collectors.some(({ id }) => field.startsWith(`${id}.`)));
  return {
    strategyId: draft.strategyId,
    config: draft.config,
    intervalSeconds: /^\d+$/.test(draft.interval.trim()) ? Number(draft.interval) : 0,
    collectors: draft.collectors,
    ...(kept.length > 0 && { keptFields: kept }),
    ...(draft.locations.length > 0 && { locations: draft.locations, locationRule: draft.locationRule }),
  };
}

export function newCheckOf(draft: CheckDraft, systemId: string): NewCheck {
  return {
    name: draft.name,
    description: draft.description,
    ...definitionOf(draft),
    ...(systemId !== "" && { assignToSystemId: systemId }),
  };
}

/** Differences from the check that the editor started with. */
export function changeOf(draft: CheckDraft, began: Check, kinds: Kinds): CheckChange {
  const before = draftOf(began, kinds);
  const now = definitionOf(draft);
  const kept = now.keptFields ?? [];
  return {
    ...(draft.name !== before.name && { name: draft.name }),
    ...(draft.description !== before.description && { description: draft.description }),
    ...(draft.strategyId !== before.strategyId && { strategyId: draft.strategyId }),
    ...(!same(draft.config, before.config) && { config: draft.config }),
    ...(draft.interval !== before.interval && { intervalSeconds: now.intervalSeconds }),
    ...(!same(draft.collectors, before.collectors) && { collectors: draft.collectors }),
    ...(!same(kept, before.keptFields) && { keptFields: kept }),
    ...(!same(draft.locations, before.locations) && { locations: draft.locations }),
    ...(draft.locations.length > 0 &&
      draft.locationRule !== before.locationRule && { locationRule: draft.locationRule }),
  };
}

export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const labels: Record<keyof CheckDraft, string> = {
  name: "Name",
  description: "Description",
  strategyId: "Kind",
  config: "Settings",
  interval: "Interval",
  collectors: "What is collected",
  keptFields: "Kept fields",
  locations: "Locations",
  locationRule: "Down when it is down from",
};

/** A field that two people have changed. */
export interface Clash {
  key: keyof CheckDraft;
  label: string;
  mine: unknown;
  theirs: unknown;
}

/** A value as it can be compared. */
export const inWords = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));

/** Merges typed text with a version saved meanwhile: fields untouched here follow the saved one. */
export function merged(draft: CheckDraft, began: CheckDraft, stored: CheckDraft): { draft: CheckDraft; both: Clash[] } {
  const both: Clash[] = [];
  const take = <Key extends keyof CheckDraft>(key: Key): CheckDraft[Key] => {
    if (same(draft[key], began[key])) return stored[key];
    if (!same(stored[key], began[key]) && !same(stored[key], draft[key]))
      both.push({ key, label: labels[key], mine: draft[key], theirs: stored[key] });
    return draft[key];
  };
  return {
    draft: {
      name: take("name"),
      description: take("description"),
      strategyId: take("strategyId"),
      config: take("config"),
      interval: take("interval"),
      collectors: take("collectors"),
      keptFields: take("keptFields"),
      locations: take("locations"),
      locationRule: take("locationRule"),
    },
    both,
  };
}

const storageKey = (person: string, check: string) => `countersign.check.${person}.${check}`;

/** Persists the draft across the loss of the page. It holds names of secrets, never their values. */
export function keepDraft(person: string, check: string, draft: CheckDraft | null): void {
  try {
    if (draft) sessionStorage.setItem(storageKey(person, check), JSON.stringify(draft));
    else sessionStorage.removeItem(storageKey(person, check));
  } catch {
    // Storage is blocked: a draft lasts as long as the page.
  }
}

export function keptDraft(person: string, check: string): CheckDraft | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey(person, check)) ?? "null");
    return isDraft(kept) ? kept : null;
  } catch {
    return null;
  }
}

function isDraft(value: unknown): value is CheckDraft {
  if (typeof value !== "object" || value === null) return false;
  const draft = value as Record<string, unknown>;
  return (
    ["name", "description", "strategyId", "interval"].every((key) => typeof draft[key] === "string") &&
    Array.isArray(draft.collectors) &&
    Array.isArray(draft.keptFields) &&
    Array.isArray(draft.locations) &&
    typeof draft.locationRule === "string" &&
    typeof draft.config === "object"
  );
}
