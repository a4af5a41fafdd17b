import type { Memory, MemoryFilter } from "../api/memories";

/** Lengths that the server allows, in characters. */
export const limits = { recallHint: 200, content: 4000 };

/** Author of a memory, as shown to a reader. */
export function authorOf(memory: Pick<Memory, "own" | "ownerName" | "editorName">): string {
  const owner = memory.own ? "You" : memory.ownerName;
  return memory.editorName ? `${owner}, last changed by ${memory.editorName}` : owner;
}

/** Text of the deletion dialog, with the other people concerned. */
export function deletionText(memory: Pick<Memory, "scope" | "own" | "ownerName" | "systemName">): string {
  if (memory.scope === "user") return "The assistant no longer recalls it for you. This cannot be undone.";
  const whose = memory.own ? "" : `It was saved by ${memory.ownerName}. `;
  return `${whose}The assistant no longer recalls it for anybody who may see ${memory.systemName}. This cannot be undone.`;
}

/** Text of an empty list. */
export function emptyText(filter: MemoryFilter): { title: string; hint: string } {
  if (filter.query) return { title: `No memory matches “${filter.query}”`, hint: "Try another word." };
  switch (filter.scope) {
    case "user":
      return {
        title: "No memories for you yet",
        hint: "Add a memory here, or tell the assistant: remember that…",
      };
    case "system":
      return {
        title: "No shared memories yet",
        hint: "Users who can edit a system can share memories on it.",
      };
    default:
      return { title: "No memories yet", hint: "Add one here, or tell the assistant: remember that…" };
  }
}
