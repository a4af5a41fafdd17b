import type { RJSFSchema } from "@rjsf/utils";

/** A JSON schema of the API: closed, with what a form has to know in members that begin with x-. */
export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  "x-secret"?: boolean;
  "x-literal"?: boolean;
  "x-template"?: boolean;
  "x-editor"?: string;
  "x-unit"?: string;
  "x-label"?: string;
  "x-chart"?: string;
  "x-jsonpath"?: boolean;
  "x-ephemeral"?: boolean;
  [member: string]: unknown;
}

const languages = ["typescript", "shell", "json", "sql"] as const;
export type EditorLanguage = (typeof languages)[number];

/** The language of a field that is code. */
export const languageOf = (schema: Schema): EditorLanguage | undefined =>
  languages.find((language) => language === schema["x-editor"]);

/** "minDaysUntilExpiry" becomes "Min days until expiry"; abbreviations stay in capitals. */
export function nameInWords(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .split(" ")
    .map((word) => known[word.toLowerCase()] ?? (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()));
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const known: Record<string, string> = Object.fromEntries(
  ["URL", "TLS", "DNS", "TCP", "HTTP", "ID", "SQL", "JSON", "SSH", "CPU", "IP"].map((word) => [
    word.toLowerCase(),
    word,
  ]),
);

/** Label of a member, with its unit. */
export function labelOf(name: string, schema: Schema): string {
  const label = schema["x-label"] ?? schema.title ?? nameInWords(name);
  const unit = schema["x-unit"];
  return unit ? `${label} (${unit})` : label;
}

/** Annotations of a list or a map of texts apply to each of them. */
const inherited = ["x-secret", "x-literal", "x-template", "x-editor"] as const;

/** Converts the schema for the form library: titles for members, and the list's description for its items. */
export function formSchema(schema: Schema): RJSFSchema {
  return prepared(schema) as RJSFSchema;
}

function prepared(schema: Schema, name?: string): Schema {
  const { items, properties, additionalProperties, ...rest } = schema;
  const passedOn = Object.fromEntries(inherited.filter((key) => schema[key]).map((key) => [key, schema[key]]));
  return {
    ...rest,
    ...(name !== undefined && { title: labelOf(name, schema) }),
    ...(items && { items: prepared({ ...passedOn, ...items }) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, prepared(inner, key)])),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "object"
          ? prepared({ ...passedOn, ...additionalProperties })
          : additionalProperties,
    }),
  };
}

/** Splits members into those shown at once (required, set or invalid) and the others. */
export function splitMembers(
  schema: Schema,
  value: Record<string, unknown>,
  wrong: (name: string) => boolean,
): { first: string[]; more: string[] } {
  const names = Object.keys(schema.properties ?? {});
  // Two members more are no reason to hide them.
  if (names.length <= 4) return { first: names, more: [] };
  const needed = (name: string) => schema.required?.includes(name) || value[name] !== undefined || wrong(name);
  const first = names.filter(needed);
  return { first, more: names.filter((name) => !needed(name)) };
}
