import { z } from "zod";

type Metadata = Record<string, unknown> | null | undefined;

/** A text of metadata lines, as what they say. */
export const metadataSchema = (previous: Metadata) =>
  z
    .string()
    .check(({ value, issues }) => {
      const message = metadataIssue(value);
      if (message) issues.push({ code: "custom", message, input: value });
    })
    .transform((text) => parseMetadata(text, previous));

/** Issue with the first line of metadata that cannot be stored as written. */
export function metadataIssue(text: string): string | undefined {
  const names = new Set<string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const separator = line.indexOf("=");
    const name = line.slice(0, Math.max(0, separator)).trim();
    if (separator < 0) return `Line ${index + 1} has no “=”. Write it as: name = value.`;
    if (name === "") return `Line ${index + 1} has no name before its “=”.`;
    if (names.has(name)) return `Line ${index + 1} repeats “${name}”.`;
    names.add(name);
  }
  return undefined;
}

/** Writes metadata as lines of `name = value`, the form in which it is edited. */
export function formatMetadata(metadata: Record<string, unknown> | null | undefined): string {
  return Object.entries(metadata ?? {})
    .map(([name, value]) => `${name} = ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

/**
 * Reads lines of `name = value`. Values stay text unless they already were
 * something else (`previous`), so that editing one line does not retype others.
 */
export function parseMetadata(
  text: string,
  previous: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  for (const line of text.split("\n")) {
    const separator = line.indexOf("=");
    const name = (separator < 0 ? line : line.slice(0, separator)).trim();
    if (name === "") continue;
    const value = separator < 0 ? "" : line.slice(separator + 1).trim();
    const known = previous?.[name];
    metadata[name] = known !== undefined && JSON.stringify(known) === value ? known : value;
  }
  return metadata;
}

/** Splits a list that was typed with commas; each entry once, none empty. */
export function parseList(text: string): string[] {
  return [...new Set(text.split(/[,\n]/).map((entry) => entry.trim()))].filter((entry) => entry !== "");
}
