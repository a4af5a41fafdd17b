import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { unique } from "./names";
import { scriptedWith } from "./test";
import { phone, resize } from "./visit";

/** Paths that the shop answers with a failure. */
const down = new Set<string>();
let server: Server;
let url = "";
beforeAll(async () => {
  server = createServer(({ url: path }, response) => {
    response.writeHead(down.has(path ?? "") ? 503 : 200);
    response.end("{}");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const test = scriptedWith({ COUNTERSIGN_CHECK_EGRESS_ALLOW: "127.0.0.0/8" });

/** A thousand systems with five checks each that have run, and do not run again today. One in a hundred is unhealthy. */
const thousand = [
  `INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
   SELECT gen_random_uuid(), 'Unit ' || n, 'unit ' || lpad(n::text, 4, '0'), '', '{}', ARRAY[CASE n % 2 WHEN 0 THEN 'eu' ELSE 'us' END]
   FROM generate_series(1, 1000) n`,
  `INSERT INTO check_targets (check_id, system_id, shard, interval_ms, phase_ms, active, scope)
   SELECT c.id, s.id, 0, 86400000, (extract(epoch FROM now() + interval '12 hours') * 1000)::bigint % 86400000, true, '{}'
   FROM health_checks c, catalog_systems s WHERE c.name LIKE 'Seeded %' AND s.name LIKE 'Unit %'`,
  `INSERT INTO check_states (target, status, since_ms, last_slot, reason)
   SELECT t.id, x.status, (extract(epoch FROM now()) * 1000)::bigint - 1020000, (extract(epoch FROM now()) * 1000)::bigint - 20000,
          CASE x.status WHEN 3 THEN '5 runs in a row failed: Expected statusCode = 200, got 503' ELSE '' END
   FROM check_targets t JOIN catalog_systems s ON s.id = t.system_id JOIN health_checks c ON c.id = t.check_id,
   LATERAL (SELECT CASE WHEN c.name = 'Seeded 3' AND right(s.name_key, 4)::integer % 100 = 0 THEN 3 ELSE 1 END AS status) x
   WHERE s.name LIKE 'Unit %'`,
  `INSERT INTO check_system_states (system_id, status, since_ms, target, reason)
   SELECT DISTINCT ON (t.system_id) t.system_id, s.status, s.since_ms, t.id,
          CASE s.status WHEN 3 THEN 'The check Seeded 3 is unhealthy: ' || s.reason || '.' ELSE '' END
   FROM check_targets t JOIN check_states s ON s.target = t.id JOIN catalog_systems c ON c.id = t.system_id
   WHERE c.name LIKE 'Unit %' ORDER BY t.system_id, s.status DESC`,
];

/** Fails when an element is not wholly on the first screen of a phone. */
async function onFirstScreen(page: Page, testId: string): Promise<void> {
  const box = await page.getByTestId(testId).first().boundingBox();
  if (!box) throw new Error(`${testId} is not shown`);
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.y + box.height).toBeLessThanOrEqual(phone.height);
  expect(box.x + box.width).toBeLessThanOrEqual(phone.width);
}

test("A board of a thousand systems leads to what is red, also on a phone", async ({
  visit,
  administrator,
  product,
}) => {
  for (const at of [1, 2, 3, 4, 5])
    await administrator.post("/api/healthcheck/checks", {
      name: `Seeded ${at}`,
      strategyId: "healthcheck-http.http",
      intervalSeconds: 86_400,
      collectors: [{ collectorId: "healthcheck-http.request", config: { url: `${url}/seeded` } }],
    });
  for (const statement of thousand) await product.query(statement);
  const here = await visit();
  const { page } = here;
  await page.goto("/health");
  const rows = page.getByTestId("board-row");
  await rows.first().waitFor();
  const shown = await page.evaluate(() => ({
    rows: document.querySelectorAll('[data-testid="board-row"]').length,
    nodes: document.querySelectorAll("*").length,
    after: Math.round(performance.now()),
  }));
  console.log(`the board: ${JSON.stringify(shown)}`);
  expect(shown.rows).toBeLessThanOrEqual(100);
  const status = page.getByTestId("board-status");
  await status.getByRole("button", { name: "10 Unhealthy" }).waitFor();
  await status.getByRole("button", { name: "990 Healthy" }).waitFor();
  expect(await rows.first().getAttribute("data-status")).toBe("unhealthy");
  await rows.first().getByTestId("days").waitFor();
  await here.look("health-board-thousand");
  await here.shrink("health-board-thousand-phone");

  // It is scrolled through without more than a screen of rows.
  const list = page.getByTestId("board-list");
  await list.hover();
  let most = 0;
  for (let step = 0; step < 20; step++) {
    await page.mouse.wheel(0, 3_000);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    most = Math.max(most, await rows.count());
  }
  expect(most).toBeLessThanOrEqual(100);
  expect(await page.getByText("Unit 1", { exact: true }).count()).toBe(0);

  await status.getByRole("button", { name: "10 Unhealthy" }).click();
  await page.waitForURL(/status=unhealthy/);
  await expect.poll(() => rows.count()).toBe(10);
  await page.getByTestId("board-tag").selectOption("us");
  await page.getByTestId("empty-state").waitFor();
  await page.getByTestId("board-tag").selectOption("eu");
  await expect.poll(() => rows.count()).toBe(10);

  await resize(page, phone);
  await rows.first().getByRole("link").click();
  await page.getByTestId("failing").waitFor();
  await here.picture("health-red-system-phone");
  expect(await page.getByTestId("failure").count()).toBe(1);
  expect(await page.getByTestId("failure-name").innerText()).toBe("Seeded 3");
  expect(await page.getByTestId("failure-reason").innerText()).toContain("Expected statusCode = 200, got 503");
  await onFirstScreen(page, "failure-name");
  await onFirstScreen(page, "failure-reason");
  await page.getByText("Last runs of Seeded 3").waitFor();
  await page.getByTestId("failure-name").getByRole("link").click();
  await page.getByTestId("check-page").getByTestId("failing").waitFor();
  await here.picture("health-red-check-phone");
  await onFirstScreen(page, "failure-name");
  await onFirstScreen(page, "failure-reason");
  expect(await page.getByTestId("failure").count()).toBe(10);
  await page.goBack();
  await page.getByTestId("failing").waitFor();
  await here.shrink("health-red-system-shrunk", true);
  await here.look("health-red-system");
});

test("A board does not move under the pointer or the focus, and shows how each system is", async ({
  visit,
  administrator,
}) => {
  const word = unique("Moving").replace(" ", "");
  for (const name of ["First", "Second"]) {
    const { id } = await administrator.post<{ id: string }>("/api/catalog/systems", { name: `${name} ${word}` });
    await administrator.post("/api/healthcheck/checks", {
      name: `${name} ${word} answers`,
      strategyId: "healthcheck-http.http",
      intervalSeconds: 1,
      collectors: [
        {
          collectorId: "healthcheck-http.request",
          config: { url: `${url}/${name}` },
          assertions: [{ field: "statusCode", operator: "equals", value: 200 }],
        },
      ],
      assignToSystemId: id,
    });
  }
  const here = await visit();
  const { page } = here;
  await page.goto(`/health/systems?query=${word}`);
  const rows = page.getByTestId("board-row");
  const order = async () => (await rows.getByRole("link").allInnerTexts()).map((name) => name.split(" ")[0]);
  const row = (name: string, status: string) =>
    page.locator(`[data-testid="board-row"][data-status="${status}"]`).filter({ hasText: name });
  await row("First", "healthy").waitFor();
  await row("Second", "healthy").waitFor();
  expect(await order()).toEqual(["First", "Second"]);

  await row("First", "healthy").hover();
  down.add("/Second");
  await row("Second", "unhealthy").waitFor();
  expect(await order()).toEqual(["First", "Second"]);
  await page.getByTestId("board-moved").waitFor();
  await here.look("health-board-moved");
  await page.mouse.move(1, 1);
  await expect.poll(order).toEqual(["Second", "First"]);
  await expect.poll(() => page.getByTestId("board-moved").count()).toBe(0);

  await row("First", "healthy").getByRole("link").focus();
  down.delete("/Second");
  await row("Second", "healthy").waitFor();
  expect(await order()).toEqual(["Second", "First"]);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("First");
  await page.getByRole("button", { name: "Sort again" }).click();
  await expect.poll(order).toEqual(["First", "Second"]);
});
