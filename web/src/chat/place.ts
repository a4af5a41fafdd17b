/** Of a person: several may use one browser. */
const storageKey = (person: string) => `countersign.chat.${person}`;

/** Remembers which chat a person has open, in this tab and for the next one; "" is the new chat. */
export function keepPlace(person: string, conversationId: string): void {
  if (person === "") return;
  try {
    sessionStorage.setItem(storageKey(person), conversationId);
    localStorage.setItem(storageKey(person), conversationId);
  } catch {
    // Storage is blocked: the chat opens with a new one.
  }
}

/** The chat that a person had open last, in this tab if there was one; "" is the new chat. */
export function lastPlace(person: string): string {
  try {
    return sessionStorage.getItem(storageKey(person)) ?? localStorage.getItem(storageKey(person)) ?? "";
  } catch {
    return "";
  }
}

/** A chat that is not there any more is nowhere to come back to. */
export function leavePlace(person: string, conversationId: string): void {
  if (lastPlace(person) === conversationId) keepPlace(person, "");
}
