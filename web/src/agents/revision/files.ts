/** Display name of a bundle's file: "tools/add/source.ts" is "add: source". */
export function fileWords(path: string): string {
  const [folder = "", id = "", ...rest] = path.split("/");
  const file = rest.join("/");
  if (folder === "tools" && id) return `${id}: ${toolFiles[file] ?? file}`;
  if (folder === "skills" && id) return `skill ${id}${skillFiles[file] ?? `: ${file}`}`;
  return path === "spec.json" ? "secrets and limits" : path;
}

const toolFiles: Record<string, string> = {
  "source.ts": "source",
  "schema.json": "description, arguments and effect",
  "examples.json": "examples",
};

const skillFiles: Record<string, string> = { "SKILL.md": "", "skill.json": ": description" };

/** The text of a file as people compare it: JSON with a line for each member. */
export function fileText(path: string, text: string | undefined): string | undefined {
  if (text === undefined || !path.endsWith(".json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
