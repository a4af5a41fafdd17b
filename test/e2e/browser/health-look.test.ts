import { describe, expect } from "vitest";
import { serve, systemId } from "./healthdata";
import { test } from "./test";
import { phone } from "./visit";

/** The narrowest phone that is still used. */
const narrow = { width: 360, height: 740 };

describe("With much data", () => {
  test("a board of thousands of systems stays light", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    await serve(page, { systems: 2_000, points: 500 });
    await page.goto("/health");
    const rows = page.getByTestId("board-row");
    await rows.first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/health/systems");
    await here.look("health-board");
    // The arrow keys go from system to system.
    await rows.first().getByRole("link").focus();
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Search 2");

    for (let read = 100; read < 1_000; read += 100) {
      // By key: where the button stands moves with what has been read.
      await page.getByTestId("more-systems").press("Enter");
      await page.getByText(`These are the first ${read + 100},`).waitFor();
    }
    expect(await rows.count()).toBeLessThan(100);

    await page.getByTestId("board-status").selectOption("degraded");
    await page.waitForURL(/status=degraded/);
    await page.getByText("Ledger 3").waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByTestId("board-search").fill("nowhere");
    await page.getByTestId("empty-state").getByText("No system matches").waitFor();
    await here.look("health-board-empty");

    await page.goto("/health/systems");
    await page.setViewportSize(narrow);
    await rows.first().waitFor();
    await here.picture("health-board-phone");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    await page.setViewportSize(phone);
  });

  test("a chart of 10,000 points is read by keys and by the pointer", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    await serve(page, { systems: 3, points: 10_000 });
    await page.goto(`/health/systems/${systemId}`);
    await page.getByTestId("plot").locator("canvas").waitFor();
    await page.getByTestId("range").getByText("7 days").click();
    await page.waitForURL(/range=7d/);
    await here.look("health-system");

    const chart = page.getByTestId("chart-plot");
    await chart.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await page
      .getByTestId("chart-readout")
      .getByText(/p95 .* 5 runs/)
      .waitFor();
    await chart.hover({ position: { x: 400, y: 80 } });
    await page.getByTestId("chart-readout").getByText(/runs/).waitFor();
    await here.picture("health-chart-read");
    const height = async () => (await page.getByTestId("chart").boundingBox())?.height;
    const before = await height();
    await page.mouse.move(5, 5);
    expect(await height()).toBe(before);
    await page.getByTestId("chart-table-toggle").click();
    await page.getByTestId("chart-table").getByRole("row").nth(5).waitFor();
    await here.look("health-chart-table");
    await page.getByTestId("chart-table-toggle").click();

    await page.setViewportSize(narrow);
    await page.getByTestId("plot").locator("canvas").waitFor();
    await here.picture("health-system-phone");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
  });
});
