import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { serve, systemId } from "./healthdata";
import { test } from "./test";
import { phone, resize } from "./visit";

/** The narrowest phone that is still used. */
const narrow = { width: 360, height: 740 };

/** An hour in 500 points, of which each minute one has a run, if the minute is one of these. */
async function serveHour(page: Page, ran: (minute: number) => boolean): Promise<void> {
  await page.route("**/api/healthcheck/systems/*/chart?*", async (route) => {
    const { searchParams } = new URL(route.request().url());
    const [from, to] = ["from", "to"].map((name) => Date.parse(searchParams.get(name) ?? "")) as [number, number];
    let before = -1;
    const points = Array.from({ length: 500 }, (_, index) => {
      const minute = Math.floor((index * 60) / 500);
      const first = minute !== before;
      before = minute;
      const runs = first && ran(minute) ? 1 : 0;
      const at = new Date(from + (index * (to - from)) / 500).toISOString();
      const took = 40 + 10 * Math.sin(minute / 4);
      return {
        at,
        runs,
        failed: 0,
        errored: 0,
        skipped: 0,
        missed: 0,
        ...(runs > 0 && { p50Ms: took, p95Ms: took * 2 }),
      };
    });
    const window = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    await route.fulfill({ json: { ...window, points, transitions: [], gaps: [] } });
  });
}

/** In how many columns of the canvas the line of the median is. */
const drawnColumns = (page: Page) =>
  page
    .getByTestId("plot")
    .locator("canvas")
    .evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      // A copy that is read on the processor: reading the canvas of the page makes Chromium warn.
      const [context, probe] = [1, 2].map(() =>
        document.createElement("canvas").getContext("2d", { willReadFrequently: true }),
      );
      if (!context || !probe) throw new Error("there is no canvas");
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--primary").trim();
      probe.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = probe.getImageData(0, 0, 1, 1).data;
      context.canvas.width = canvas.width;
      context.canvas.height = canvas.height;
      context.drawImage(canvas, 0, 0);
      const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
      const near = (at: number) =>
        (data[at + 3] ?? 0) > 200 &&
        Math.abs((data[at] ?? 0) - red) + Math.abs((data[at + 1] ?? 0) - green) + Math.abs((data[at + 2] ?? 0) - blue) <
          40;
      let columns = 0;
      for (let x = 0; x < width; x++)
        for (let y = 0; y < height; y++)
          if (near(4 * (y * width + x))) {
            columns++;
            break;
          }
      return { columns, width };
    });

describe("A chart of an hour", () => {
  test("is a line where each minute has a run", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    await serve(page, { systems: 3, points: 500 });
    await serveHour(page, () => true);
    await page.goto(`/health/systems/${systemId}?range=1h`);
    await page.getByTestId("plot").locator("canvas").waitFor();
    await expect.poll(async () => (await drawnColumns(page)).columns).toBeGreaterThan(600);
    await here.look("health-hour");
    await here.shrink("health-hour-phone");
  });

  test("shows a run that stands alone as a dot", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    await serve(page, { systems: 3, points: 500 });
    await serveHour(page, (minute) => minute === 30);
    await page.goto(`/health/systems/${systemId}?range=1h`);
    await page.getByTestId("plot").locator("canvas").waitFor();
    await expect.poll(async () => (await drawnColumns(page)).columns).toBeGreaterThan(2);
    expect((await drawnColumns(page)).columns).toBeLessThan(20);
    await here.picture("health-hour-dot");
  });
});

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
    // The arrow keys go from system to system, over all that are read and beyond.
    await rows.first().getByRole("link").focus();
    await page.keyboard.press("ArrowDown");
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    expect(await focused()).toBe("Search 2");
    await page.keyboard.press("End");
    await expect.poll(focused).toBe("Archive 1000");
    await page.getByText("Checkout 1001").waitFor();
    await page.keyboard.press("End");
    await expect.poll(focused).toBe("Archive 2000");
    expect(await rows.count()).toBeLessThanOrEqual(100);
    await page.keyboard.press("Home");
    await expect.poll(focused).toBe("Checkout 1");

    const status = page.getByTestId("board-status");
    await status.getByRole("button", { name: "2 Degraded" }).click();
    await page.waitForURL(/status=degraded/);
    await page.getByText("Ledger 3").waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    await status.getByRole("button", { name: "2,000 All systems" }).waitFor();
    await page.reload();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByTestId("board-search").fill("nowhere");
    await page.getByTestId("empty-state").getByText("No system matches").waitFor();
    await here.look("health-board-empty");

    await page.goto("/health/systems?by=group");
    const section = page.getByTestId("board-section").first();
    await section.getByText("1 unhealthy").waitFor();
    await here.look("health-board-sections");
    const before = await rows.count();
    await section.press("Enter");
    await expect.poll(() => section.getAttribute("aria-expanded")).toBe("false");
    expect(before).toBeGreaterThan(0);

    await page.goto("/health/systems");
    await resize(page, narrow);
    await rows.first().waitFor();
    await here.picture("health-board-phone");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    await resize(page, phone);
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

    await resize(page, narrow);
    await page.getByTestId("plot").locator("canvas").waitFor();
    await here.picture("health-system-phone");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
  });
});
