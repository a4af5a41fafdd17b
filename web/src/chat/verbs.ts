import type { ToolState } from "./outline";

interface Verb {
  running: string;
  done: string;
  plain: string;
}

const known: Record<string, Verb> = {
  "ai.searchDocs": {
    running: "Searching the documentation",
    done: "Searched the documentation",
    plain: "search the documentation",
  },
  "ai.getDoc": {
    running: "Reading the documentation",
    done: "Read the documentation",
    plain: "read the documentation",
  },
  "ai.listDocs": {
    running: "Browsing the documentation",
    done: "Browsed the documentation",
    plain: "browse the documentation",
  },
  "ai.askOperator": { running: "Preparing a question", done: "Asked a question", plain: "ask a question" },
  "ai.searchMemory": { running: "Searching the memory", done: "Searched the memory", plain: "search the memory" },
  "ai.saveMemory": { running: "Preparing to remember", done: "Proposed to remember", plain: "remember this" },
  "ai.deleteMemory": { running: "Preparing to forget", done: "Proposed to forget", plain: "forget this" },
  "healthcheck.propose": {
    running: "Preparing a health check",
    done: "Proposed a health check",
    plain: "create a health check",
  },
  "healthcheck.update": {
    running: "Preparing a health check change",
    done: "Proposed a health check change",
    plain: "change a health check",
  },
  "healthcheck.delete": {
    running: "Preparing to delete a health check",
    done: "Proposed to delete a health check",
    plain: "delete a health check",
  },
  "healthcheck.assign": {
    running: "Preparing to assign a health check",
    done: "Proposed to assign a health check",
    plain: "assign a health check",
  },
  "healthcheck.unassign": {
    running: "Preparing to unassign a health check",
    done: "Proposed to unassign a health check",
    plain: "unassign a health check",
  },
  "healthcheck.status": {
    running: "Checking system health",
    done: "Checked system health",
    plain: "check system health",
  },
  "healthcheck.list": { running: "Listing health checks", done: "Listed health checks", plain: "list health checks" },
  "healthcheck.get": { running: "Reading a health check", done: "Read a health check", plain: "read a health check" },
  "healthcheck.testDraft": {
    running: "Testing a health check",
    done: "Tested a health check",
    plain: "test a health check",
  },
  "healthcheck.runNow": {
    running: "Preparing a run of a health check",
    done: "Proposed a run of a health check",
    plain: "run a health check",
  },
  "agent.list": { running: "Listing agents", done: "Listed agents", plain: "list agents" },
  "agent.get": { running: "Reading an agent", done: "Read an agent", plain: "read an agent" },
  "agent.testTool": { running: "Testing a custom tool", done: "Tested a custom tool", plain: "test a custom tool" },
  "agent.proposeTool": {
    running: "Preparing a custom tool",
    done: "Proposed a custom tool",
    plain: "write a custom tool",
  },
  "http.request": { running: "Preparing a request", done: "Proposed a request", plain: "send a request" },
  "ai.setToolPolicy": {
    running: "Preparing a policy change",
    done: "Proposed a policy change",
    plain: "change a policy",
  },
  "auth.setGrants": {
    running: "Preparing an access change",
    done: "Proposed an access change",
    plain: "change who has access",
  },
  "auth.deleteGrants": {
    running: "Preparing to remove access",
    done: "Proposed to remove access",
    plain: "remove all access",
  },
  "healthcheck.import": {
    running: "Preparing an import of health checks",
    done: "Proposed an import of health checks",
    plain: "import health checks",
  },
  "healthcheck.setPaused": {
    running: "Preparing to pause or resume a health check",
    done: "Proposed to pause or resume a health check",
    plain: "pause or resume a health check",
  },
  "ai.probeUrl": { running: "Probing a URL", done: "Probed a URL", plain: "probe the URL" },
};

const verbs: Record<string, [running: string, done: string]> = {
  list: ["Listing", "Listed"],
  get: ["Reading", "Read"],
  read: ["Reading", "Read"],
  search: ["Searching", "Searched"],
  find: ["Finding", "Found"],
  check: ["Checking", "Checked"],
  test: ["Testing", "Tested"],
  run: ["Running", "Ran"],
};

/** A sentence for a tool call, such as "Listed systems" for catalog.listSystems. */
export function describeTool(name: string, state: ToolState): string {
  const verb = known[canonical(name)] ?? customTool(name) ?? derive(name);
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
  return capitalize((known[canonical(name)] ?? customTool(name))?.plain ?? actionWords(name).join(" "));
}

/** Object of a tool's changes, such as "system" for catalog.deleteSystem; "" for custom tools. */
export function objectOf(name: string): string {
  if (customTool(name)) return "";
  const dotted = canonical(name);
  if (dotted.startsWith("healthcheck.")) return "health check";
  if (dotted === "catalog.setSystemOwner") return "system";
  return actionWords(dotted).slice(1).join(" ");
}

/** A text of the server with the names of tools in the words that people know. */
export function withoutToolNames(text: string): string {
  return text.replaceAll(toolName, (match) => {
    const name = match.replaceAll(/[`"]/g, "");
    return `“${(known[canonical(name)] ?? derive(name)).plain}”`;
  });
}

/** Dotted or with `_`, and with a verb and an object; in code marks or not. */
const toolName = /[`"]?\b[a-z][a-zA-Z]{1,30}[._][a-z]{2,}[A-Z][a-zA-Z]{1,40}\b[`"]?/g;

/** A tool that people have written or an MCP server has: agent.short-name.tool, or agent_short-name_tool where dots are not allowed. */
export function customTool(name: string): Verb | null {
  const rest = /^(?:agent|mcp)[._](.+)$/.exec(name)?.[1];
  if (!rest) return null;
  const at = rest.indexOf(".");
  if (at < 0 && !rest.includes("_")) return null;
  const tool = rest.slice(at + 1).replaceAll(/[-_]+/g, " ");
  const called = at < 0 ? `“${tool}”` : `“${tool}” of ${rest.slice(0, at)}`;
  return { running: `Calling ${called}`, done: `Called ${called}`, plain: `call ${called}` };
}

function derive(name: string): Verb {
  const [first = name, ...rest] = actionWords(name);
  const object = rest.join(" ");
  const plain = object ? `${first} ${object}` : first;
  const tenses = verbs[first];
  if (tenses) return { running: join(tenses[0], object), done: join(tenses[1], object), plain };
  return { running: `Preparing to ${plain}`, done: capitalize(plain), plain };
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

function join(verb: string, object: string): string {
  return object ? `${verb} ${object}` : verb;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
