/**
 * The script editor needs inline styles, which the server allows for the document of its page only. Moving onto that page, or
 * away from it, therefore loads a document instead of changing the page in place.
 */
export const scriptsPath = "/scripts";

const loadedFrom = typeof window === "undefined" ? "" : window.location.pathname;

/** Whether the page at a path has to be loaded as a document of its own. */
export function needsDocument(path: string, from: string = loadedFrom): boolean {
  return (path === scriptsPath) !== (from === scriptsPath);
}
