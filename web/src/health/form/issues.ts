/** Issues by path: "config.url", "collectors[0].assertions[1].value". */
export type Issues = ReadonlyMap<string, string>;

interface Issue {
  path: string;
  message: string;
}

export const noIssues: Issues = new Map();

/** The issues of an answer; the path of a request begins with its body, a JSON pointer with a slash. */
export function issuesOf(issues: readonly Issue[] | null | undefined): Issues {
  const found = new Map<string, string>();
  for (const { path, message } of issues ?? []) {
    const at = pathOf(path);
    found.set(at, found.has(at) ? `${found.get(at)} ${sentence(message)}` : sentence(message));
  }
  return found;
}

/** "/collectors/0/config/url" and "body.collectors[0].config.url" both read "collectors[0].config.url". */
export function pathOf(path: string): string {
  const parts = path
    .replace(/^body(?=[.[]|$)|^\//, "")
    .split(/[./[\]]+/)
    .filter(Boolean);
  return joined(parts);
}

export function joined(parts: readonly (string | number)[]): string {
  let text = "";
  for (const part of parts) {
    if (/^\d+$/.test(String(part))) text += `[${part}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}

/** Those below a path, with what follows it: "" for the path itself. */
export function below(issues: Issues, prefix: string): Issues {
  const found = new Map<string, string>();
  for (const [path, message] of issues) {
    if (path === prefix) found.set("", message);
    else if (path.startsWith(`${prefix}.`)) found.set(path.slice(prefix.length + 1), message);
    else if (path.startsWith(`${prefix}[`)) found.set(path.slice(prefix.length), message);
  }
  return found;
}

/** Whether something at a path or below it is wrong. */
export const concerns = (issues: Issues, path: string) => below(issues, path).size > 0;

/** "is too long" as it reads on its own. */
function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
