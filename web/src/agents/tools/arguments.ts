import type { Schema } from "../../health/form/schema";

/** One argument, as people read it. */
export interface Argument {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** Members by which a schema says more than a table of arguments can. */
const beyondTables = ["$ref", "$defs", "oneOf", "anyOf", "allOf", "not", "if", "patternProperties", "dependentSchemas"];

/** The arguments that a schema describes; null when a table would not tell the whole of it. */
export function argumentsOf(schema: Schema): Argument[] | null {
  if (Object.keys(schema).length === 0) return [];
  if (schema.type !== "object" && schema.properties === undefined) return null;
  if (beyondTables.some((member) => member in schema)) return null;
  const properties = schema.properties ?? {};
  if (typeof properties !== "object" || properties === null) return null;
  return Object.entries(properties).map(([name, inner]) => ({
    name,
    type: typeOf(inner),
    required: Array.isArray(schema.required) && schema.required.includes(name),
    description: typeof inner?.description === "string" ? inner.description : "",
  }));
}

/** The type of a value in few words: "text", "list of numbers", "one of low, high". */
export function typeOf(schema: Schema | boolean | undefined): string {
  if (typeof schema !== "object" || schema === null) return "anything";
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.map(String).join(", ")}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const named = types.map((type) => {
    if (type !== "array") return words[type ?? ""] ?? "anything";
    const inner = typeOf(schema.items);
    return inner === "anything" ? "list" : `list of ${plurals[inner] ?? inner}`;
  });
  const [first, ...rest] = [...new Set(named)];
  const limits = limitsOf(schema);
  return [[first, ...rest].join(" or "), limits].filter(Boolean).join(", ");
}

const words: Record<string, string> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "yes or no",
  object: "object",
  null: "nothing",
};

const plurals: Record<string, string> = {
  text: "texts",
  number: "numbers",
  "whole number": "whole numbers",
  object: "objects",
};

function limitsOf({ minimum, maximum, minLength, maxLength, format }: Schema): string {
  return [
    range(minimum, maximum, ""),
    minLength === 1 && maxLength === undefined ? "not empty" : range(minLength, maxLength, " characters"),
    typeof format === "string" ? format : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function range(from: unknown, to: unknown, unit: string): string {
  if (typeof from === "number" && typeof to === "number") return `${from} to ${to}${unit}`;
  if (typeof from === "number") return `at least ${from}${unit}`;
  return typeof to === "number" ? `at most ${to}${unit}` : "";
}

/** Whether a form can be drawn for the arguments: an object whose members are described, without references. */
export function formFits(schema: Schema): boolean {
  const found = argumentsOf(schema);
  return found !== null && found.length > 0 && !JSON.stringify(schema).includes('"$ref"');
}
