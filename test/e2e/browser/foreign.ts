import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { build, type Rolldown } from "vite";

const bundles = new Map<string, Promise<string>>();

/** The script of a page, in one piece. */
function bundle(source: URL): Promise<string> {
  const known = bundles.get(source.href);
  if (known) return known;
  const made = make(source);
  bundles.set(source.href, made);
  return made;
}

async function make(source: URL): Promise<string> {
  const entry = fileURLToPath(source);
  // Vite asks the environment, where it is a test.
  process.env.NODE_ENV = "production";
  const built = (await build({
    configFile: false,
    mode: "production",
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
    build: { write: false, minify: false, lib: { entry, name: "page", formats: ["iife"] } },
  })) as Rolldown.RolldownOutput[];
  const chunk = built.flatMap(({ output }) => output).find(({ type }) => type === "chunk");
  if (chunk?.type !== "chunk") throw new Error(`${entry} has no script`);
  return chunk.code;
}

/**
 * Opens a foreign page served from the product's own address, as by a path of the same proxy: one under pages/, or of
 * source.
 */
export async function openForeign(
  page: Page,
  name: string,
  source = new URL(`../pages/${name}.tsx`, import.meta.url),
): Promise<void> {
  const script = await bundle(source);
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title>`;
  const html = `${head}<div id="root"></div><script src="/foreign/${name}.js"></script></html>`;
  await page.route(`**/foreign/${name}`, (route) => route.fulfill({ contentType: "text/html", body: html }));
  await page.route(`**/foreign/${name}.js`, (route) => route.fulfill({ contentType: "text/javascript", body: script }));
  await page.goto(`/foreign/${name}`);
}
