import type { AgentTool, ToolEffect, ToolFields } from "../../api/agents";
import type { ToolPlace } from "../../api/agentcalls";

/** Typed state of a tool. The schema is text that may not be JSON yet. */
export interface ToolDraft {
  description: string;
  schema: string;
  source: string;
  effect: ToolEffect;
}

/** Arguments that anything fits. */
const anything = { type: "object", properties: {}, additionalProperties: false };

/** Arguments of the server's example: a new tool starts without mistakes. */
const ofExample = {
  type: "object",
  properties: { city: { type: "string", description: "Of which the weather is asked." } },
  required: ["city"],
  additionalProperties: false,
};

/** Source of a new tool, when the server has no example. */
const emptySource = `import type { CustomTool } from "@countersign/sdk/tool";

export default {
  actions: {
    default: async (args: {}, ctx) => {
      ctx.log("info", "called");
      return { ok: true };
    },
  },
} satisfies CustomTool;
`;

/** Initial state of the editor: the tool, or a new one made from the example. */
export function draftOf(tool: AgentTool | undefined, example?: string): ToolDraft {
  if (!tool && example) return { description: "", schema: pretty(ofExample), source: example, effect: "read" };
  if (!tool) return { description: "", schema: pretty(anything), source: emptySource, effect: "read" };
  return {
    description: tool.description,
    schema: pretty(tool.args_schema),
    source: tool.source,
    effect: tool.effect,
  };
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

/** A text that should be a JSON object: the object, or why it is none. */
export type Parsed = { value: Record<string, unknown>; issue?: undefined } | { value?: undefined; issue: string };

export function parseObject(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { issue: `Not valid JSON: ${error instanceof Error ? error.message : "it cannot be read"}.` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { issue: "Enter a JSON object, in braces." };
  return { value: value as Record<string, unknown> };
}

/** Request body, or null while the schema is not JSON. */
export function fieldsOf({ description, schema, source, effect }: ToolDraft): ToolFields | null {
  const parsed = parseObject(schema);
  return parsed.value ? { description, args_schema: parsed.value, source, effect } : null;
}

/** Fields checked while typing: a description is never wrong, and may still be missing. */
export function checkedOf(fields: ToolFields | null): ToolFields | null {
  return fields && fields.source !== "" ? { ...fields, description: "Not written yet" } : null;
}

export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export const labels: Record<keyof ToolDraft, string> = {
  description: "Description",
  schema: "Arguments",
  source: "Source",
  effect: "Effect",
};

/** A part with conflicting edits: the stored version, and the one typed here. */
export interface Both {
  key: keyof ToolDraft;
  path: string;
  before: string;
  after: string;
}

/** Merges typed text with a version saved meanwhile: parts untouched here follow the saved one. */
export function merged(draft: ToolDraft, began: ToolDraft, stored: ToolDraft): { draft: ToolDraft; both: Both[] } {
  const both: Both[] = [];
  const take = <Key extends keyof ToolDraft>(key: Key): ToolDraft[Key] => {
    if (draft[key] === began[key]) return stored[key];
    if (stored[key] !== began[key] && stored[key] !== draft[key])
      both.push({ key, path: labels[key], before: stored[key], after: draft[key] });
    return draft[key];
  };
  return {
    draft: {
      description: take("description"),
      schema: take("schema"),
      source: take("source"),
      effect: take("effect"),
    },
    both,
  };
}

/** Drafts belong to a person: a browser can be shared. */
const storageKey = (person: string, { agent, rev, tool }: ToolPlace) =>
  `countersign.tool.${person}.${agent}.${rev}.${tool}`;

/** Keeps typed text across reloads; null deletes it. It holds names of secrets, never their values. */
export function keepDraft(person: string, place: ToolPlace, draft: ToolDraft | null): void {
  try {
    if (draft) localStorage.setItem(storageKey(person, place), JSON.stringify(draft));
    else localStorage.removeItem(storageKey(person, place));
  } catch {
    // Storage is blocked or full: a draft lasts as long as the page.
  }
}

export function keptDraft(person: string, place: ToolPlace): ToolDraft | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey(person, place)) ?? "null");
    return isDraft(kept) ? kept : null;
  } catch {
    return null;
  }
}

const argumentsKey = (person: string, place: ToolPlace) => `${storageKey(person, place)}.arguments`;

/** Stores the test arguments of a tool. Test values for secrets are not kept. */
export function keepArguments(person: string, place: ToolPlace, args: Record<string, unknown>): void {
  try {
    if (Object.keys(args).length > 0) localStorage.setItem(argumentsKey(person, place), JSON.stringify(args));
    else localStorage.removeItem(argumentsKey(person, place));
  } catch {
    // Storage is blocked or full: they last as long as the page.
  }
}

export function keptArguments(person: string, place: ToolPlace): Record<string, unknown> {
  try {
    return parseObject(localStorage.getItem(argumentsKey(person, place)) ?? "{}").value ?? {};
  } catch {
    return {};
  }
}

function isDraft(value: unknown): value is ToolDraft {
  if (typeof value !== "object" || value === null) return false;
  const draft = value as Record<string, unknown>;
  return (
    ["description", "schema", "source"].every((key) => typeof draft[key] === "string") &&
    (draft.effect === "read" || draft.effect === "mutate")
  );
}

/** The ids that the server takes. */
const idPattern = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/;

/** Issue with the id of a new tool, or undefined. */
export function idIssue(id: string, taken: readonly string[]): string | undefined {
  if (id === "") return "Fill this in.";
  if (id.length > 64) return "At most 64 characters.";
  if (!idPattern.test(id))
    return "Lowercase letters, digits, - and _ only, starting and ending with a letter or digit.";
  return taken.includes(id) ? "This revision has a tool with this id." : undefined;
}
