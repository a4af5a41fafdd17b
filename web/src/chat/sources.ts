import type { ToolCall } from "./outline";

/** A page of the documentation that the assistant has read. */
export interface Source {
  title: string;
  link: string;
}

/** Whether something leads to a page of the documentation here, and to no other site. */
export const isDocLink = (link: unknown): link is string => typeof link === "string" && /^\/docs\/[^/\\]/.test(link);

/** Documentation that a call has read; null for any other call. */
export function sourceOf({ name, state, input, output }: ToolCall): Source | null {
  if (name.replace("_", ".") !== "ai.getDoc" || state !== "done" || typeof output !== "object" || output === null) {
    return null;
  }
  const { title, link } = output as Record<string, unknown>;
  if (typeof title !== "string" || !isDocLink(link)) return null;
  return { title: link.includes("#") ? withSection(title, input) : title, link };
}

function withSection(title: string, input: unknown): string {
  const section = typeof input === "object" && input !== null && "section" in input ? input.section : "";
  return typeof section === "string" && section !== "" && section !== title ? `${title}: ${section}` : title;
}
