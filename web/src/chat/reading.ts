/** Reading position in a chat: a message, and its distance from the upper edge, in pixels. */
export interface Reading {
  message: string;
  top: number;
}

const storageKey = "countersign.reading";
/** Chats that are remembered; the oldest is forgotten first. */
const remembered = 100;

const places = new Map<string, Reading>(stored());

/** Null for the end, to which a chat opens by itself. */
export function keepReading(chat: string, at: Reading | null): void {
  places.delete(chat);
  if (at) places.set(chat, { message: at.message, top: Math.round(at.top) });
  for (const oldest of places.keys()) {
    if (places.size <= remembered) break;
    places.delete(oldest);
  }
}

export const keptReading = (chat: string): Reading | undefined => places.get(chat);

if (typeof window !== "undefined") {
  window.addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(storageKey, JSON.stringify([...places]));
    } catch {
      // Storage is blocked or full: it is remembered as long as the document.
    }
  });
}

function stored(): [string, Reading][] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isEntry) : [];
  } catch {
    return [];
  }
}

// Not a constant: it is called while the module begins.
function isEntry(value: unknown): value is [string, Reading] {
  if (!Array.isArray(value) || typeof value[0] !== "string" || typeof value[1] !== "object" || !value[1]) return false;
  const { message, top } = value[1] as Partial<Reading>;
  return typeof message === "string" && typeof top === "number";
}
