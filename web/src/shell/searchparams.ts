/** A text from the address; undefined when there is none. The router reads what looks like JSON as such: 123 is a text too. */
export function searchText(value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Only paths of this site: a link must not send a person elsewhere after sign-in. */
export function localPath(value: unknown): string | undefined {
  return typeof value === "string" && /^\/(?![/\\])/.test(value) ? value : undefined;
}
