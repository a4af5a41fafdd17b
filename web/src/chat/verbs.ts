import type { ToolVerb } from "../area";
import { merged } from "../labels";
import type { ToolState } from "./outline";

/** Tools whose names do not read as sentences. */
const known = merged("tools");
const nouns = merged("nouns");

const verbs: Record<string, [running: string, done: string]> = {
  list: ["Listing", "Listed"],
  get: ["Reading", "Read"],
  read: ["Reading", "Read"],
  search: ["Searching", "Searched"],
  find: ["Finding", "Found"],
  browse: ["Browsing", "Browsed"],
  check: ["Checking", "Checked"],
  probe: ["Probing", "Probed"],
  test: ["Testing", "Tested"],
  run: ["Running", "Ran"],
};

/** A sentence for a tool call, such as "Listed systems" for catalog.listSystems. */
export function describeTool(name: string, state: ToolState): string {
  const verb = verbOf(name);
  switch (state) {
    case "running":
      return `${verb.running}…`;
    case "done":
      return verb.done;
    case "error":
      return `Could not ${verb.plain}`;
    case "interrupted":
      return `Stopped before it could ${verb.plain}`;
    case "waiting":
      return `Waits for a decision to ${verb.plain}`;
    case "declined":
      return `Declined to ${verb.plain}`;
  }
}

/** Action of a proposal, such as "Create system" for catalog.createSystem. */
export function describeAction(name: string): string {
  return capitalize(verbOf(name).plain);
}

/** Object of a tool's changes, such as "system" for catalog.deleteSystem; "" for custom tools. */
export function objectOf(name: string): string {
  if (customTool(name)) return "";
  const dotted = canonical(name);
  const [module = ""] = dotted.split(".");
  const noun = nouns[dotted] ?? nouns[module];
  if (noun) return noun;
  return actionWords(dotted).slice(1).join(" ");
}

/** A text of the server with the names of tools in the words that people know. */
export function withoutToolNames(text: string): string {
  return text.replaceAll(toolName, (match) => {
    const name = match.replaceAll(/[`"]/g, "");
    return `“${verbOf(name).plain}”`;
  });
}

/** Dotted or with `_`, and with a verb and an object; in code marks or not. */
const toolName = /[`"]?\b[a-z][a-zA-Z]{1,30}[._][a-z]{2,}[A-Z][a-zA-Z]{1,40}\b[`"]?/g;

/** A tool that people have written or an MCP server has: agent.short-name.tool, or agent_short-name_tool where dots are not allowed. */
export function customTool(name: string): ToolVerb | null {
  const rest = /^(?:agent|mcp)[._](.+)$/.exec(name)?.[1];
  if (!rest) return null;
  const at = rest.indexOf(".");
  if (at < 0 && !rest.includes("_")) return null;
  const tool = rest.slice(at + 1).replaceAll(/[-_]+/g, " ");
  const called = at < 0 ? `“${tool}”` : `“${tool}” of ${rest.slice(0, at)}`;
  return { running: `Calling ${called}`, done: `Called ${called}`, plain: `call ${called}` };
}

function verbOf(name: string): ToolVerb {
  const label = known[canonical(name)] ?? customTool(name) ?? actionWords(name).join(" ");
  return typeof label === "string" ? conjugate(label) : label;
}

/** The forms of a sentence such as "list systems". */
function conjugate(plain: string): ToolVerb {
  const [first = "", ...rest] = plain.split(" ");
  const tenses = verbs[first];
  if (!tenses) return { running: `Preparing to ${plain}`, done: capitalize(plain), plain };
  const [running, done] = tenses.map((verb) => [verb, ...rest].join(" ")) as [string, string];
  return { running, done, plain };
}

function actionWords(name: string): string[] {
  const [module = "", ...rest] = canonical(name).split(".");
  const action = rest.join(" ") || module;
  const words = action
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  return words.length === 1 && rest.length > 0 ? [...words, module.toLowerCase()] : words;
}

/** Providers do not allow dots in tool names, so some streams carry `_` instead. */
function canonical(name: string): string {
  return name.includes(".") ? name : name.replace("_", ".");
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
