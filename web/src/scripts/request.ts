import type { ScriptTest } from "../api/scripts";
import type { Draft } from "./draft";
import type { Place } from "./places";

export const timeoutLimits = { min: 0.1, max: 30 } as const;

export type InputField = "source" | "config" | "sample" | "env" | "timeout";

/** Why the inputs cannot be sent, by field. */
export type InputIssues = Partial<Record<InputField, string>>;

export type Prepared = { test: ScriptTest; issues?: undefined } | { test?: undefined; issues: InputIssues };

/** Parses typed text to a request, or returns its errors. */
export function prepare(place: Place, draft: Draft): Prepared {
  const issues: InputIssues = {};
  const read = (field: "config" | "sample" | "env") => {
    const parsed = parseObject(draft[field]);
    if (parsed.issue !== undefined) issues[field] = parsed.issue;
    return parsed.value;
  };
  if (draft.source.trim() === "") issues.source = "There is no script to run.";
  const sampleContext = read("sample");
  const config = place.config === undefined ? undefined : read("config");
  const env = place.language === "shell" ? read("env") : undefined;
  if (env && !isText(env)) issues.env = "Every value must be a string.";
  const seconds = parseTimeout(draft.timeout);
  if (seconds === null) issues.timeout = `Give a number of seconds from ${timeoutLimits.min} to ${timeoutLimits.max}.`;
  if (Object.keys(issues).length > 0 || seconds === null) return { issues };
  return {
    test: {
      context: place.id,
      source: draft.source,
      config,
      sampleContext,
      ...(env && isText(env) ? variables(env) : {}),
      timeoutMs: Math.round(seconds * 1_000),
      checkTypes: place.language === "typescript" && draft.checkTypes,
    },
  };
}

/** Reads a JSON object. Nothing typed stands for nothing sent. */
export function parseObject(text: string): { value?: Record<string, unknown>; issue?: string } {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { issue: `Not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { issue: "Enter a JSON object, in braces." };
  return { value: value as Record<string, unknown> };
}

function isText(value: Record<string, unknown>): value is Record<string, string> {
  return Object.values(value).every((member) => typeof member === "string");
}

/** Values that name secrets travel apart from the others. */
function variables(given: Record<string, string>): Pick<ScriptTest, "env" | "secretEnv"> {
  const entries = Object.entries(given);
  const secrets = entries.filter(([, value]) => value.includes("${{"));
  return {
    env: Object.fromEntries(entries.filter((entry) => !secrets.includes(entry))),
    secretEnv: secrets.length > 0 ? Object.fromEntries(secrets) : undefined,
  };
}

function parseTimeout(text: string): number | null {
  const seconds = text.trim() === "" ? Number.NaN : Number(text);
  return seconds >= timeoutLimits.min && seconds <= timeoutLimits.max ? seconds : null;
}
