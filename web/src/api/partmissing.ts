/** A part of the app that the server does not deliver although it answers. Only another document can have it. */
export class PartMissing extends Error {
  constructor(cause: unknown) {
    super("A part of this page could not be loaded. Reload the page.", { cause });
    this.name = "PartMissing";
  }
}

/**
 * Whether a form of the page holds text that a reload would lose, by dispatching "beforeunload". Text kept in the
 * browser does not count.
 */
export const holdsUnsaved = (): boolean => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));

const storageKey = "countersign.reloaded";

/** A document that misses a part as soon as it was loaded is not loaded again. */
const betweenReloadsMilliseconds = 60_000;

/** Whether a reload for a missing part may help: not when the document has just been reloaded for one. */
export function canReloadForPart(): boolean {
  try {
    return Date.now() - Number(sessionStorage.getItem(storageKey)) > betweenReloadsMilliseconds;
  } catch {
    // Storage is blocked, so an earlier reload would be unknown.
    return false;
  }
}

/** Reloads the document for a missing part, if that may help. */
export function reloadForPart(): void {
  if (!canReloadForPart()) return;
  sessionStorage.setItem(storageKey, String(Date.now()));
  window.location.reload();
}

let waiting = 0;
const listeners = new Set<() => void>();

/** Parts that are missing while the page holds unsaved text. */
export const missingParts = {
  any: (): boolean => waiting > 0,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function tell(): void {
  for (const listener of listeners) listener();
}

/** Counts a missing part while something waits for it. */
export async function whileMissing(wait: Promise<void>): Promise<void> {
  waiting++;
  tell();
  await wait;
  waiting--;
  tell();
}
