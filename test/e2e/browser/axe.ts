import type axe from "axe-core";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

type Self = typeof globalThis & { axe?: typeof axe };

/** A third as long as what the package exports, which every page would have to parse. */
const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Scope of an axe run: everything, or only what differs between themes. */
export type Looks = "everything" | "colours";

/**
 * The options of a field belong to the field, which names them, and lie at the end of the document so that nothing
 * clips them.
 */
const offered = /^<div role="listbox"/;

/** The violations on a page, whatever their weight. */
export async function violations(page: Page, looks: Looks = "everything"): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in self))) await page.evaluate(source);
  await settle(page);
  const rules = looks === "colours" ? { runOnly: ["color-contrast", "link-in-text-block"] } : {};
  const run = { ...rules, resultTypes: ["violations" as const] };
  const found = await page.evaluate(async (options) => (await (self as Self).axe?.run(options))?.violations, run);
  if (!found) throw new Error("axe is not on the page");
  return found.flatMap(({ id, help, nodes }) =>
    nodes
      .filter(({ html }) => !(id === "region" && offered.test(html)))
      .map((node) => `${page.url()}: ${id}: ${help}: ${node.html}: ${node.failureSummary}`),
  );
}

/** Ends animations, in which colours are between two values. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  });
}
