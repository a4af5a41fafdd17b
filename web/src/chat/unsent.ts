const prefix = "countersign.unsent.";
/** Of a person: several may use one browser. */
const storageKey = (person: string, conversationId: string) => `${prefix}${person}.${conversationId}`;

/** Texts that are kept in one browser; the oldest is forgotten first. */
const remembered = 60;

/** The chat that exists only on the screen until its first message. */
export const newChat = "draft";

interface Unsent {
  text: string;
  /** When it was typed, in ms. */
  at: number;
}

/**
 * Keeps what is in the message box of a chat, so that it outlives the page: another page, a reload, a sign-in, the browser. It
 * stays in this browser, and is shown to nobody but the person who has typed it.
 */
export function keepUnsent(person: string, conversationId: string, text: string): void {
  if (person === "") return;
  const key = storageKey(person, conversationId);
  try {
    if (text === "") {
      localStorage.removeItem(key);
      return;
    }
    const isNew = localStorage.getItem(key) === null;
    localStorage.setItem(key, JSON.stringify({ text, at: Date.now() } satisfies Unsent));
    if (isNew) forgetOldest();
  } catch {
    // Storage is blocked or full: the text lasts as long as the page.
  }
}

export function readUnsent(person: string, conversationId: string): string {
  try {
    return parse(localStorage.getItem(storageKey(person, conversationId)))?.text ?? "";
  } catch {
    return "";
  }
}

/** A message that was sent and that the server has not taken yet. */
export interface Outgoing {
  id: string;
  text: string;
  /** Previous text of an edited message: while the stored one has it, the edit has not arrived. */
  before?: string;
}

/** Key of the draft of an edited message. */
export const editField = (conversationId: string, messageId: string) => `${conversationId}.${messageId}.edit`;

const outgoingKey = (person: string, conversationId: string) => `countersign.outgoing.${person}.${conversationId}`;

/** Keeps a message until the server has it. Of a tab: another one that shows the chat does not send it as well. */
export function keepOutgoing(person: string, conversationId: string, message: Outgoing | null): void {
  if (person === "") return;
  try {
    if (message) sessionStorage.setItem(outgoingKey(person, conversationId), JSON.stringify(message));
    else sessionStorage.removeItem(outgoingKey(person, conversationId));
  } catch {
    // Storage is blocked or full: the message lasts as long as the page.
  }
}

/**
 * The text of a message that an earlier page has sent and that has never arrived, as the stored messages do not hold it. Of what this
 * page has sent itself it knows better than a list that was read meanwhile.
 */
export function undelivered(
  person: string,
  conversationId: string,
  stored: readonly { id: string }[],
  hasSent: (id: string) => boolean,
): string {
  const kept = readOutgoing(person, conversationId);
  if (!kept || kept.before !== undefined || hasSent(kept.id)) return "";
  return stored.some((message) => message.id === kept.id) ? "" : kept.text;
}

/**
 * Edit that an earlier page has sent, and whether it has arrived, by the stored messages. The text is kept by its field
 * until then.
 */
export function sentAnew(
  person: string,
  conversationId: string,
  stored: readonly { id: string; text: string }[],
): { id: string; arrived: boolean } | null {
  const kept = readOutgoing(person, conversationId);
  if (kept?.before === undefined) return null;
  return { id: kept.id, arrived: !stored.some(({ id, text }) => id === kept.id && text === kept.before) };
}

function readOutgoing(person: string, conversationId: string): Outgoing | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(outgoingKey(person, conversationId)) ?? "null");
    if (typeof kept !== "object" || kept === null) return null;
    const { id, text, before } = kept as Partial<Outgoing>;
    if (typeof id !== "string" || typeof text !== "string") return null;
    return typeof before === "string" ? { id, text, before } : { id, text };
  } catch {
    return null;
  }
}

/** Adds a prompt to a message box that may hold text already: both, each once. */
export function withPrompt(unsent: string, prompt: string): string {
  if (unsent === "" || prompt === "") return unsent || prompt;
  return unsent.endsWith(prompt) ? unsent : `${unsent.trimEnd()}\n\n${prompt}`;
}

function parse(kept: string | null): Unsent | null {
  if (kept === null) return null;
  try {
    const value: unknown = JSON.parse(kept);
    if (typeof value !== "object" || value === null) return null;
    const { text, at } = value as Partial<Unsent>;
    return typeof text === "string" && typeof at === "number" ? { text, at } : null;
  } catch {
    return null;
  }
}

function forgetOldest(): void {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  if (keys.length <= remembered) return;
  const aged = keys.map((key) => ({ key, at: parse(localStorage.getItem(key))?.at ?? 0 }));
  aged.sort((a, b) => a.at - b.at);
  for (const { key } of aged.slice(0, keys.length - remembered)) localStorage.removeItem(key);
}
