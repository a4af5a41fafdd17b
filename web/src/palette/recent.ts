const most = 8;

/** Of a person: several may use one browser. */
const storageKey = (person: string) => `countersign.palette.${person}`;

/** The keys of what a person chose last, the latest first. Keys say nothing of what they stand for but ids. */
export function recentKeys(person: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey(person)) ?? "[]");
    return Array.isArray(kept) ? kept.filter((key) => typeof key === "string").slice(0, most) : [];
  } catch {
    return [];
  }
}

export function keepRecent(person: string, key: string): void {
  if (person === "") return;
  try {
    const keys = [key, ...recentKeys(person).filter((other) => other !== key)].slice(0, most);
    localStorage.setItem(storageKey(person), JSON.stringify(keys));
  } catch {
    // Storage is blocked: nothing is recent.
  }
}
