/** The skill that a conversation follows, as much of it as the banner needs at once. */
export interface ActiveSkill {
  id: string;
  name: string;
}

const storageKey = "countersign.skills";
/** Conversations that are remembered; the oldest choice is forgotten first. */
const remembered = 100;

type Entry = [conversationId: string, skill: ActiveSkill];

/**
 * Which skill is active in which conversation. It is a choice of this person
 * in this browser, like a half-written message, so it survives a reload and is
 * not on the server: there each message says which skill it was sent with.
 */
export class ActiveSkills {
  readonly #storage: Pick<Storage, "getItem" | "setItem"> | null;
  readonly #listeners = new Set<() => void>();
  #entries: Map<string, ActiveSkill>;

  constructor(storage: Pick<Storage, "getItem" | "setItem"> | null) {
    this.#storage = storage;
    this.#entries = new Map(this.#read());
  }

  get(conversationId: string): ActiveSkill | null {
    return this.#entries.get(conversationId) ?? null;
  }

  set(conversationId: string, skill: ActiveSkill | null): void {
    // Other tabs choose too.
    const entries = new Map(this.#read());
    entries.delete(conversationId);
    if (skill) entries.set(conversationId, { id: skill.id, name: skill.name });
    this.#entries = new Map([...entries].slice(-remembered));
    try {
      this.#storage?.setItem(storageKey, JSON.stringify([...this.#entries]));
    } catch {
      // Storage is full or forbidden: the choice lasts as long as the page.
    }
    for (const listener of this.#listeners) listener();
  }

  /** Moves the choice of a draft to the conversation that it has become. */
  move(from: string, to: string): void {
    const skill = this.get(from);
    if (!skill) return;
    this.set(to, skill);
    this.set(from, null);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #read(): Entry[] {
    if (!this.#storage) return [...(this.#entries ?? [])];
    try {
      const stored: unknown = JSON.parse(this.#storage.getItem(storageKey) ?? "[]");
      return Array.isArray(stored) ? stored.filter(isEntry) : [];
    } catch {
      return [...(this.#entries ?? [])];
    }
  }
}

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value) || typeof value[0] !== "string") return false;
  const skill: unknown = value[1];
  return (
    typeof skill === "object" &&
    skill !== null &&
    "id" in skill &&
    typeof skill.id === "string" &&
    "name" in skill &&
    typeof skill.name === "string"
  );
}

export const activeSkills = new ActiveSkills(typeof localStorage === "undefined" ? null : localStorage);

/** Key of a person's chat that is no conversation yet. */
export const newChatOf = (person: string) => `draft.${person}`;
