/**
 * The script editor needs inline styles, which the server allows for the documents of its pages only. Moving onto one of those
 * pages, or away from it, therefore loads a document instead of changing the page in place.
 */
export const scriptsPath = "/scripts";
export const checkEditorPath = "/health/editor";
export const toolEditorPath = "/agents/editor";

const editorPaths: ReadonlySet<string> = new Set([scriptsPath, checkEditorPath, toolEditorPath]);

const loadedFrom = typeof window === "undefined" ? "" : window.location.pathname;

/** Whether the page at a path has to be loaded as a document of its own. */
export function needsDocument(path: string, from: string = loadedFrom): boolean {
  return editorPaths.has(path) !== editorPaths.has(from);
}
