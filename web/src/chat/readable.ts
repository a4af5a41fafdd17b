import { isRecord } from "../api/record";
import { fieldLabel } from "../proposals/fieldlabels";
import { customTool } from "./verbs";
import type { Names } from "./callwords";
import { isDocLink } from "./sources";

/** A result as people read it: records as fields, lists of records as tables. The key is where it stands in the result. */
export type Readable = { key: string; label: string } & (
  | { kind: "text"; text: string }
  | { kind: "none" }
  | { kind: "table"; columns: Column[]; rows: TableRow[] }
);

export type ReadableTable = Extract<Readable, { kind: "table" }>;

interface Column {
  field: string;
  label: string;
}

export interface TableRow {
  key: string;
  cells: { field: string; text: string }[];
  /** A page of the documentation that the row is about. */
  link?: string;
}

/** More than that people do not read. */
const mostFields = 24;
const mostColumns = 5;
const deepest = 2;

const idLike =
  /^(id|ids|token|cursor|nextCursor|revision|etag|slug|anchor|score|toolCallId|proposalId)$|(?<=[a-z])Ids?$/;
const first = ["name", "title", "heading", "summary", "status"];

/** Readable fields of a tool's result; empty when there are none. */
export function readable(value: unknown, tool: string, names: Names): Readable[] {
  const parts = partsOf(value, { key: "", label: "" }, tool, names, 0);
  if (parts.length <= mostFields) return parts;
  const more = `${(parts.length - mostFields).toLocaleString("en")} more, which the JSON has`;
  return [...parts.slice(0, mostFields), { kind: "text", key: "more", label: "And", text: more }];
}

type Place = Pick<Readable, "key" | "label">;

function partsOf(value: unknown, place: Place, tool: string, names: Names, depth: number): Readable[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [{ kind: "none", ...place }];
    if (value.every(isRecord)) return [tableOf(value, place, tool, names) ?? json(value, place)];
    return [{ kind: "text", ...place, text: textOf(value, names) }];
  }
  if (!isRecord(value)) {
    const text = textOf(value, names);
    return text === "" ? [] : [{ kind: "text", ...place, text }];
  }
  if (depth > deepest) return [json(value, place)];
  return Object.entries(value).flatMap(([field, inner]) => {
    if (inner === null || inner === undefined || inner === "") return [];
    if (idLike.test(field) && !(field !== "id" && typeof inner === "string" && names.has(inner))) return [];
    const own = labelOf(field, tool);
    const label = place.label ? `${place.label}, ${own.toLowerCase()}` : own;
    return partsOf(inner, { key: `${place.key}.${field}`, label }, tool, names, depth + 1);
  });
}

const json = (value: unknown, place: Place): Readable => ({ kind: "text", ...place, text: JSON.stringify(value) });

/** Fields of tools that people have written are called as their authors call them. */
const labelOf = (field: string, tool: string) => (customTool(tool) ? field : fieldLabel([field], tool));

const rank = (field: string) => (first.includes(field) ? first.indexOf(field) : first.length);

function tableOf(rows: Record<string, unknown>[], place: Place, tool: string, names: Names): ReadableTable | null {
  const fields = new Set<string>();
  for (const row of rows.slice(0, 50)) {
    for (const [field, value] of Object.entries(row)) {
      const shown = !idLike.test(field) || (field !== "id" && typeof value === "string" && names.has(value));
      if (shown && field !== "link" && value !== null && value !== "" && isShort(value)) fields.add(field);
    }
  }
  const columns = [...fields].toSorted((one, other) => rank(one) - rank(other)).slice(0, mostColumns);
  if (columns.length === 0) return null;
  return {
    kind: "table",
    ...place,
    columns: columns.map((field) => ({ field, label: labelOf(field, tool) })),
    rows: rows.map((row, index) => ({
      key: String(index),
      cells: columns.map((field) => ({ field, text: textOf(row[field], names) })),
      ...(isDocLink(row.link) && { link: row.link }),
    })),
  };
}

function isShort(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item !== "object");
  return typeof value !== "object";
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function textOf(value: unknown, names: Names): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string") {
    if (moment.test(value)) {
      const at = new Date(value);
      if (!Number.isNaN(at.getTime())) return at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    }
    return names.get(value) ?? value;
  }
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) {
    return value.map((item) => textOf(item, names)).join(", ");
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
