import type { Schema } from "../form/schema";
import { nameInWords } from "../form/schema";

/** Assertion on a result. Value is absent where the operator takes none. */
export interface Assertion {
  field: string;
  jsonPath?: string;
  operator: string;
  value?: unknown;
}

export interface Operator {
  id: string;
  /** Words between the field and the value in a sentence. */
  words: string;
  /** nothing, number, string, pattern, count, scalar, range or list. */
  takes: string;
}

/** The operators by type, from the server. */
export type Operators = Readonly<Record<string, readonly Operator[] | null | undefined>>;

/** A member of a result that assertions can be about. */
export interface ResultField {
  name: string;
  label: string;
  /** number, string, boolean, array or object. */
  type: string;
  unit?: string;
  /** A text with a document in which paths find values. */
  jsonPath: boolean;
}

export function fieldsOf(result: Schema): ResultField[] {
  return Object.entries(result.properties ?? {}).map(([name, schema]) => ({
    name,
    label: schema["x-label"] ?? nameInWords(name),
    type: typeOf(schema),
    unit: schema["x-unit"],
    jsonPath: schema["x-jsonpath"] === true,
  }));
}

function typeOf({ type }: Schema): string {
  const first = (Array.isArray(type) ? type : [type]).find((one) => one !== "null");
  return first === "integer" ? "number" : (first ?? "object");
}

/** As which type a field is judged: a path has operators of its own, and so has a time. */
export function judgedAs(field: ResultField, path: string | undefined): string {
  if (path) return "jsonPath";
  return field.type === "number" && field.unit === "ms" ? "timeThreshold" : field.type;
}

export const operatorsOf = (operators: Operators, field: ResultField | undefined, path: string | undefined) =>
  field ? (operators[judgedAs(field, path)] ?? []) : [];

/** Parses the typed value for an operator: texts stay texts, numbers become numbers. */
export function valueOf(text: string, takes: string): unknown {
  if (takes === "string" || takes === "pattern") return text;
  // An empty last value stands while the next one is being typed.
  if (takes === "list" || takes === "range") return text.split(",").map((one) => valueOf(one.trim(), "scalar"));
  const trimmed = text.trim();
  if (takes === "scalar" && ["true", "false", "null"].includes(trimmed)) return JSON.parse(trimmed) as unknown;
  // A number is only one when it is written as it is stored: 007 stays a text.
  if (trimmed !== "" && String(Number(trimmed)) === trimmed) return Number(trimmed);
  return text;
}

export const textOf = (value: unknown): string =>
  value === undefined
    ? ""
    : typeof value === "string"
      ? value
      : Array.isArray(value)
        ? value.map((one) => textOf(one)).join(", ")
        : JSON.stringify(value);

/** The same assertion about another field, path or operator: what does not fit any more goes. */
export function changed(
  before: Assertion,
  change: Partial<Assertion>,
  fields: readonly ResultField[],
  table: Operators,
): Assertion {
  const next: Assertion = { ...before, ...change };
  const field = fields.find(({ name }) => name === next.field);
  if (!field?.jsonPath || !next.jsonPath) delete next.jsonPath;
  const operators = operatorsOf(table, field, next.jsonPath);
  const operator = operators.find(({ id }) => id === next.operator) ?? operators[0];
  next.operator = operator?.id ?? next.operator;
  if (operator?.takes === "nothing") delete next.value;
  else if (operator && next.value !== undefined) next.value = valueOf(textOf(next.value), operator.takes);
  return next;
}

/** "statusCode equals 200". */
export function inWords(assertion: Assertion, table: Operators): string {
  const words = Object.values(table)
    .flatMap((operators) => operators ?? [])
    .find(({ id }) => id === assertion.operator);
  const value =
    words?.takes === "nothing" || assertion.value === undefined ? "" : ` ${JSON.stringify(assertion.value)}`;
  const at = assertion.jsonPath ? ` at ${assertion.jsonPath}` : "";
  return `${assertion.field}${at} ${words?.words ?? assertion.operator}${value}`;
}
