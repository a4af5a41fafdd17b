import { judgedAs, textOf, type Assertion, type ResultField } from "./operators";

/** Outcome of an assertion on a result. The server decides; this spares a run for each key. */
export interface Preview {
  held: boolean | null;
  /** Found value; undefined for none. */
  observed?: unknown;
  /** Why it cannot be told. */
  problem?: string;
}

/** Finds values in a document by RFC 9535. */
export type Query = (path: string, document: unknown) => unknown[];

export function preview(
  assertion: Assertion,
  field: ResultField,
  result: Record<string, unknown>,
  query: Query | null,
): Preview {
  const observed = result[field.name] ?? undefined;
  if (assertion.jsonPath) return previewPath(assertion, field, observed, query);
  if (assertion.operator === "exists" || assertion.operator === "notExists")
    return { held: (observed !== undefined) === (assertion.operator === "exists"), observed };
  if (observed === undefined) return { held: null, problem: `The result has no ${field.name} this time.` };
  const judged = judgeAs(judgedAs(field, undefined), assertion, observed);
  return judged === null ? { held: null, observed, problem: "Only known after a run." } : { held: judged, observed };
}

function previewPath(
  { jsonPath = "", ...assertion }: Assertion,
  field: ResultField,
  observed: unknown,
  query: Query | null,
): Preview {
  if (typeof observed !== "string") return { held: null, problem: `The result has no ${field.name} this time.` };
  if (!query) return { held: null, problem: "Reading the path…" };
  let document: unknown;
  try {
    document = JSON.parse(observed);
  } catch {
    return { held: false, problem: `${field.name} is not JSON.` };
  }
  let found: unknown[];
  try {
    found = query(jsonPath, document);
  } catch {
    return { held: null, problem: `${jsonPath} is not a path, such as $.items[0].status.` };
  }
  const shown = found.length === 1 ? found[0] : found.slice(0, 10);
  if (assertion.operator === "exists" || assertion.operator === "notExists")
    return {
      held: found.length > 0 === (assertion.operator === "exists"),
      observed: found.length > 0 ? shown : undefined,
    };
  if (found.length === 0) return { held: false, problem: `${jsonPath} finds nothing.` };
  const judged = found.map((value) => judgeFound(assertion, value));
  if (judged.includes(null)) return { held: null, observed: shown, problem: "Only known after a run." };
  return { held: judged.every(Boolean), observed: shown };
}

function judgeAs(type: string, assertion: Assertion, observed: unknown): boolean | null {
  if (type !== "array" && isAmong(assertion)) return judgeAmong(assertion, (one) => one === observed);
  switch (type) {
    case "number":
    case "timeThreshold":
      return typeof observed === "number" && typeof assertion.value === "number"
        ? compare(assertion.operator, observed, assertion.value)
        : null;
    case "string":
      return typeof observed === "string" ? judgeText(assertion, observed) : null;
    case "boolean":
      return observed === (assertion.operator === "isTrue");
    case "array":
      return Array.isArray(observed) ? judgeList(assertion, observed) : null;
    default:
      return null;
  }
}

const isAmong = ({ operator }: Omit<Assertion, "field">) => operator === "oneOf" || operator === "notOneOf";

function judgeAmong({ operator, value }: Omit<Assertion, "field">, is: (one: unknown) => boolean): boolean | null {
  return Array.isArray(value) ? value.some(is) === (operator === "oneOf") : null;
}

function compare(operator: string, found: number, value: number): boolean | null {
  switch (operator) {
    case "equals":
      return found === value;
    case "notEquals":
      return found !== value;
    case "lessThan":
      return found < value;
    case "lessThanOrEqual":
      return found <= value;
    case "greaterThan":
      return found > value;
    case "greaterThanOrEqual":
      return found >= value;
    default:
      return null;
  }
}

function judgeText({ operator, value }: Assertion, found: string): boolean | null {
  if (operator === "isEmpty") return found === "";
  if (value === undefined) return null;
  const text = textOf(value);
  switch (operator) {
    case "equals":
      return found === text;
    case "notEquals":
      return found !== text;
    case "contains":
      return found.includes(text);
    case "notContains":
      return !found.includes(text);
    case "startsWith":
      return found.startsWith(text);
    case "endsWith":
      return found.endsWith(text);
    case "matches":
      return matches(text, found);
    case "notMatches": {
      const judged = matches(text, found);
      return judged === null ? null : !judged;
    }
    default:
      return null;
  }
}

/** The server's expressions are those of RE2: what both write the same way can be shown. */
function matches(pattern: string, found: string): boolean | null {
  const [, flags = "", rest = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [];
  // Nested repetition can take this engine for ever, unlike the server's.
  if (/[+*}]\)?[+*{]|\)[+*{]/.test(rest) || found.length > 20_000) return null;
  try {
    return new RegExp(rest, `u${flags}`).test(found);
  } catch {
    return null;
  }
}

function judgeList({ operator, value }: Assertion, found: unknown[]): boolean | null {
  switch (operator) {
    case "isEmpty":
      return found.length === 0;
    case "isNotEmpty":
      return found.length > 0;
    case "includes":
      return value === undefined ? null : found.some((one) => same(one, value));
    case "notIncludes":
      return value === undefined ? null : !found.some((one) => same(one, value));
    case "lengthEquals":
      return typeof value === "number" ? found.length === value : null;
    case "lengthGreaterThan":
      return typeof value === "number" ? found.length > value : null;
    case "lengthLessThan":
      return typeof value === "number" ? found.length < value : null;
    default:
      return null;
  }
}

/** Whichever of text and number they are written as; two texts are compared as texts. */
function same(found: unknown, value: unknown): boolean {
  const [a, b] = [textOf(found), textOf(value)];
  if (typeof found === "string" && typeof value === "string") return a === b;
  return a === b || (a.trim() !== "" && b.trim() !== "" && Number(a) === Number(b));
}

function judgeFound(assertion: Omit<Assertion, "field">, found: unknown): boolean | null {
  const { operator, value } = assertion;
  const text = textOf(found);
  if (value === undefined && operator !== "isEmpty") return null;
  if (isAmong(assertion)) return judgeAmong(assertion, (one) => same(found, one));
  switch (operator) {
    case "equals":
      return same(found, value);
    case "notEquals":
      return !same(found, value);
    case "contains":
    case "notContains": {
      const contained = Array.isArray(found) ? found.some((one) => same(one, value)) : text.includes(textOf(value));
      return contained === (operator === "contains");
    }
    case "lessThan":
    case "lessThanOrEqual":
    case "greaterThan":
    case "greaterThanOrEqual":
      return (
        text.trim() !== "" && Number.isFinite(Number(text)) && compare(operator, Number(text), Number(textOf(value)))
      );
    default:
      return judgeText({ field: "", operator, value }, text);
  }
}
