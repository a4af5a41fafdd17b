/** A text from the address; undefined when there is none. */
export function searchText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Only paths of this site: a link must not send a person elsewhere after sign-in. */
export function localPath(value: unknown): string | undefined {
  return typeof value === "string" && /^\/(?![/\\])/.test(value) ? value : undefined;
}
