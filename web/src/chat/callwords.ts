import { isRecord } from "../api/record";
import { fieldLabel } from "../proposals/fieldlabels";
import type { ToolCall } from "./outline";

/** Names of ids from tool results. */
export type Names = ReadonlyMap<string, string>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const nameFields = ["name", "title", "summary", "email"];
const mostLooked = 20_000;
const mostSaid = 3;
const longestSaid = 80;

/** Names of the records in the results of calls. */
export function namesIn(calls: ToolCall[]): Names {
  const names = new Map<string, string>();
  let left = mostLooked;
  const look = (value: unknown, depth: number): void => {
    if (left-- <= 0 || depth > 8 || typeof value !== "object" || value === null) return;
    if (!Array.isArray(value)) {
      const record = value as Record<string, unknown>;
      const name = nameFields.map((field) => record[field]).find((text) => typeof text === "string" && text !== "");
      if (typeof record.id === "string" && typeof name === "string") names.set(record.id, name);
    }
    for (const inner of Object.values(value)) look(inner, depth + 1);
  };
  for (const { output } of calls) look(output, 0);
  return names;
}

/** Describes the arguments of a call in a few words: the name of its record, its search, and its filters. */
export function saidOf({ name, input, output }: ToolCall, names: Names): string {
  if (!isRecord(input)) return "";
  const said: string[] = [];
  for (const [field, value] of Object.entries(input)) {
    if (said.length === mostSaid) break;
    if (value === "" || value === null || value === undefined || quiet.has(field)) continue;
    if (asked.has(field) && typeof value === "string") said.push(`“${short(value)}”`);
    else if (field === "slug") said.push(short(titleOf(output) ?? String(value)));
    else if (plain.has(field) && typeof value === "string") said.push(short(named(value, names) ?? value));
    else {
      const words = wordsOf(value, names);
      if (words === null) continue;
      const label = fieldLabel([field], name).toLowerCase();
      // The record of a call needs no word for its kind, and its kind none for the record.
      if (field === "id") said.push(words);
      else said.push(value === true ? label : `${label} ${words}`);
    }
  }
  return said.join(", ");
}

/** Arguments that hold a search or a question. */
const asked = new Set(["query", "question", "search", "text"]);
/** Arguments that need no label. */
const plain = new Set(["name", "url", "title", "target", "section"]);
/** Arguments that change the amount of the answer, not its subject. */
const quiet = new Set(["limit", "offset", "cursor", "source", "timeoutMs", "revision", "context"]);

function wordsOf(value: unknown, names: Names): string | null {
  if (typeof value === "string") return uuid.test(value) ? (named(value, names) ?? null) : short(value);
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (!Array.isArray(value) || value.length === 0 || value.length > 5) return null;
  const words = value.map((item) => (typeof item === "object" ? null : wordsOf(item, names)));
  return words.includes(null) ? null : words.join(" and ");
}

const named = (id: string, names: Names) => {
  const name = names.get(id);
  return name === undefined ? undefined : short(name);
};

function titleOf(output: unknown): string | undefined {
  return isRecord(output) && typeof output.title === "string" ? output.title : undefined;
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > longestSaid ? `${line.slice(0, longestSaid - 1)}…` : line;
}
