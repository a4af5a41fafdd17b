import axe from "axe-core";
import type { Page } from "playwright-core";

/** The violations on a page that keep people from using it. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${page.url()}: ${id}: ${help}: ${node.html}: ${node.failureSummary}`),
    );
}
