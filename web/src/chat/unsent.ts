/** Of a person: several may use one browser. */
const storageKey = (person: string, conversationId: string) => `countersign.unsent.${person}.${conversationId}`;

/** What is in the message box of a conversation, so that it outlives the page: a reload, a link, a sign-in. Each tab has its own. */
export function keepUnsent(person: string, conversationId: string, text: string): void {
  const key = storageKey(person, conversationId);
  try {
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Storage is blocked or full: the text lasts as long as the page.
  }
}

export function readUnsent(person: string, conversationId: string): string {
  try {
    return sessionStorage.getItem(storageKey(person, conversationId)) ?? "";
  } catch {
    return "";
  }
}

/** What a link puts into a message box that may hold something already: both, each once. */
export function withPrompt(unsent: string, prompt: string): string {
  if (unsent === "" || prompt === "") return unsent || prompt;
  return unsent.endsWith(prompt) ? unsent : `${unsent.trimEnd()}\n\n${prompt}`;
}
