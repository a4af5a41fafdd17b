import { reach } from "./reach";

/**
 * The query under which a file is requested again: some browsers keep the failure of a module by its address for as
 * long as the document lives.
 */
const retryQuery = (retries: number) => (retries > 0 ? `?retry=${retries}` : "");

/** How often the import of a file has failed, by its name. */
const failures = new Map<string, number>();

/** Files of the app that have arrived, or are on their way. */
const fetched = new Map<string, Promise<void>>();

/**
 * Imports a part of the app after the files that it needs have arrived, so that a server that is away leaves no failed module
 * behind. A part whose import failed is imported under another address the next time. The build has each dynamic import
 * call this (parts.ts), with the address for it to choose and the files that the part needs.
 */
export async function part<Part>(
  load: (address: (name: string) => string) => Promise<Part>,
  files: readonly string[] = [],
): Promise<Part> {
  await Promise.all(files.map((file) => arrival(`/${file}`)));
  let imported = "";
  try {
    return await load((name) => {
      imported = name;
      return name + retryQuery(failures.get(name) ?? 0);
    });
  } catch (error) {
    if (imported !== "") failures.set(imported, (failures.get(imported) ?? 0) + 1);
    throw error;
  }
}

function arrival(path: string): Promise<void> {
  let arrived = fetched.get(path);
  if (!arrived) {
    arrived = path.endsWith(".css") ? styled(path) : isInDocument(path) ? Promise.resolve() : download(path);
    fetched.set(path, arrived);
    arrived.catch(() => fetched.delete(path));
  }
  return arrived;
}

/** The document has the browser fetch some files itself, and has done so with others before. */
function isInDocument(path: string): boolean {
  if (document.head.querySelector(`[href="${path}"], [src="${path}"]`)) return true;
  const entries = performance.getEntriesByName(new URL(path, location.href).href);
  return entries.some((entry) => (entry as PerformanceResourceTiming).decodedBodySize > 0);
}

/** Fetches a file into the cache of the browser, where its import finds it. Only a server that is away is a failure. */
async function download(path: string): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const response = await fetch(new URL(path, location.href));
      await response.arrayBuffer();
      if (response.ok) return;
    } catch (error) {
      await reach.look();
      if (reach.state() === "away") throw error;
    }
  }
}

/** Adds a style sheet, and waits until it applies. */
function styled(path: string): Promise<void> {
  if (document.head.querySelector(`link[rel="stylesheet"][href="${path}"]`)) return Promise.resolve();
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = path;
  return new Promise((resolve, reject) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove();
      reject(new TypeError(`${path} could not be loaded.`));
    });
    document.head.append(link);
  });
}
