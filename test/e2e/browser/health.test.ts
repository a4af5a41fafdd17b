import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { Person } from "../stack/person";
import { Chat } from "./chat";
import { unique } from "./names";
import { scriptedWith } from "./test";

/** A shop that is checked, and that can be told to fail. */
class Shop {
  #server: Server | undefined;
  well = true;
  #port = 0;

  async open(): Promise<void> {
    this.#server = createServer((_, response) => {
      response.writeHead(this.well ? 200 : 503, { "content-type": "application/json" });
      response.end(JSON.stringify({ state: this.well ? "up" : "down", orders: 3 }));
    });
    await new Promise<void>((listening) => this.#server?.listen(0, "127.0.0.1", listening));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

const shop = new Shop();
beforeAll(() => shop.open());
afterAll(() => shop.close());

// The shop is on this machine.
const test = scriptedWith({ COUNTERSIGN_CHECK_EGRESS_ALLOW: "127.0.0.0/8" });

/** Begins a check of the shop in the editor. */
async function fill(page: Page, name: string): Promise<void> {
  await page.getByTestId("check-editor").waitFor();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Interval (seconds)").fill("1");
  await page.getByLabel("URL", { exact: true }).fill(shop.url);
}

test("A check is made, tried, saved and seen to say how a system is", async ({ visit, administrator }) => {
  const system = await administrator.post<{ id: string }>("/api/catalog/systems", { name: unique("Shop") });
  const here = await visit();
  const { page } = here;
  await page.goto(`/health/systems/${system.id}`);
  await page.getByTestId("why").waitFor();
  await page.getByTestId("system-health").getByText("Unknown").first().waitFor();
  await page.getByText("No checks yet", { exact: true }).waitFor();
  await page.getByTestId("new-check").click();

  // A missing value is reported at its field, and nothing is saved.
  await page.getByTestId("check-editor").waitFor();
  await page.getByTestId("save-check").click();
  await page.getByTestId("issue-count").waitFor();
  here.expects(/status of 422/);
  await expect.poll(() => page.getByLabel("URL", { exact: true }).getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("name");
  await here.look("health-editor-issues");

  const name = unique("Front page");
  await fill(page, name);
  // A new check expects a status from 200 to 299.
  const first = page.getByTestId("assertion").first();
  await first.getByLabel("Operator").selectOption("equals");
  await first.getByLabel("Value").fill("200");
  await page.getByTestId("add-assertion").click();
  const second = page.getByTestId("assertion").nth(1);
  await second.getByLabel("Field").selectOption("body");
  await second.getByLabel(/^JSONPath/).fill("$.state");
  await second.getByLabel("Operator").selectOption("equals");
  await second.getByLabel("Value").fill("down");
  await page.getByTestId("sends").getByText(shop.url).waitFor();
  await page.getByTestId("draft-run").click();
  const report = page.getByTestId("draft-report");
  await report.locator('[data-verdict="failed"]').waitFor();
  await first.locator('[data-held="true"]').waitFor();
  await second.getByTestId("assertion-preview").getByText("Fails on the last result").waitFor();
  // The preview follows what is typed, without another run.
  await second.getByLabel("Value").fill("up");
  await second.getByTestId("assertion-preview").getByText("Holds on the last result").waitFor();
  await report.getByText("The check has changed since.").waitFor();
  await page.getByTestId("draft-run").click();
  await report.locator('[data-verdict="passed"]').waitFor();
  await here.look("health-editor");
  await here.shrink("health-editor-phone");

  // Leaving the page does not lose typed text.
  await page.getByTestId("nav-catalog").click();
  const discard = page.getByTestId("discard-dialog");
  await discard.waitFor();
  await discard.getByText("Keep editing").click();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(name);
  await page.getByTestId("save-check").click();
  await page.getByTestId("check-page").waitFor();
  await page.getByText('body at $.state equals "up"').waitFor();
  await page.getByTestId("assignment").waitFor();
  await here.look("health-check");
  await here.shrink("health-check-phone");

  // It runs, and the page follows.
  await page.getByTestId("assignment").getByRole("link").click();
  await page.getByTestId("system-health").waitFor();
  const status = (text: string) => page.getByTestId("target").locator(`[data-status="${text}"]`).first();
  await status("healthy").waitFor();
  await page.getByTestId("run").first().waitFor();
  shop.well = false;
  await status("unhealthy").waitFor();
  const failed = page.locator('[data-testid="run"][data-verdict="failed"]').first();
  await failed.getByRole("button").click();
  await page.locator('[data-testid="assertion-result"][data-held="false"]').first().waitFor();
  await page.getByTestId("runs").getByText("503").first().waitFor();
  await here.look("health-system-unhealthy");
  await here.shrink("health-system-unhealthy-phone");
  await page.getByRole("link", { name: "Open run" }).click();
  await page.getByTestId("run-report").waitFor();
  await here.look("health-run");
  // The question says which run of what it is.
  await page.getByTestId("ask-about").click();
  const composer = page.getByTestId("composer");
  await expect.poll(() => composer.inputValue()).toContain(`the run of the health check “${name}” on the system “Shop`);
  await composer.fill("");

  await page.goto("/health/systems?status=unhealthy");
  await page.getByTestId("board-row").waitFor();
  shop.well = true;
});

test("A check keeps what was typed when somebody else saves it meanwhile", async ({ visit, administrator }) => {
  const name = unique("Ledger");
  const check = await administrator.post<{ id: string }>("/api/healthcheck/checks", {
    name,
    strategyId: "healthcheck-http.http",
    intervalSeconds: 3_600,
    collectors: [{ collectorId: "healthcheck-http.request", config: { url: shop.url } }],
  });
  const here = await visit();
  const { page } = here;
  await page.goto("/health/checks");
  await page.getByTestId("check-link").filter({ hasText: name }).click();
  await page.getByTestId("pause-check").click();
  await page.getByText("Resume").waitFor();
  await page.getByTestId("edit-check").click();
  await page.getByTestId("check-editor").waitFor();
  await page.getByLabel("Description (optional)").fill("Mine");
  await administrator.patch(`/api/healthcheck/checks/${check.id}`, { intervalSeconds: 1_800, description: "Theirs" });
  here.expects(/status of 412/);
  await page.getByTestId("save-check").click();
  const conflict = page.getByTestId("form-conflict");
  await conflict.getByText(/Description/).waitFor();
  expect(await page.getByLabel("Description (optional)").inputValue()).toBe("Mine");
  expect(await page.getByLabel("Interval (seconds)").inputValue()).toBe("1800");
  await here.look("health-editor-conflict");
  await page.getByTestId("save-check").click();
  await page.getByTestId("check-page").getByText("Mine").waitFor();

  // It is assigned with thresholds of its own.
  const system = unique("Books");
  await administrator.post("/api/catalog/systems", { name: system });
  await page.reload();
  await page.getByTestId("assign").click();
  const form = page.getByTestId("form-dialog");
  await form.getByRole("combobox", { name: "System" }).fill(system);
  await page.getByRole("option", { name: system }).click();
  await form.getByLabel("Failed for degraded").fill("3");
  await here.look("health-assign");
  await form.getByTestId("form-submit").click();
  await page.getByTestId("assignment").getByText("3 failed runs in a row make it degraded").waitFor();

  // A script is written in the editor of the playground.
  await page.goto("/health/editor");
  await page.getByLabel("Kind").selectOption("healthcheck-script.script");
  await page.getByTestId("script-editor").locator(".view-line").first().waitFor();
  await here.look("health-editor-script");
  // Text typed for another kind comes back with that kind.
  await page.getByLabel("Kind").selectOption("healthcheck-http.http");
  await page.getByLabel("URL", { exact: true }).fill("https://kept.example.com");
  await page.getByLabel("Kind").selectOption("healthcheck-tcp.tcp");
  await page.getByLabel("Kind").selectOption("healthcheck-http.http");
  expect(await page.getByLabel("URL", { exact: true }).inputValue()).toBe("https://kept.example.com");
});

test("A check that the assistant proposes is read on its card and applied", async ({ visit, administrator }) => {
  const system = await administrator.post<{ id: string }>("/api/catalog/systems", { name: unique("Orders") });
  const name = unique("Orders flow");
  const here = await visit();
  const chat = await Chat.open(here.page);
  const input = {
    name,
    strategyId: "healthcheck-script.script",
    intervalSeconds: 300,
    assignToSystemId: system.id,
    config: {},
    collectors: [
      {
        collectorId: "healthcheck-script.inline-script",
        config: { script: "const orders: number = 3;\nreturn { success: orders > 0, value: orders };" },
        assertions: [{ field: "success", operator: "isTrue" }],
      },
    ],
  };
  await chat.perform(`r1.tool=healthcheck.propose r1.input=${JSON.stringify(input)} text="A check waits for you."`);
  const card = await chat.card();
  const payload = card.element.getByTestId("check-payload");
  await payload.getByText("success is true").waitFor();
  await payload.getByTestId("script-source").getByText("orders > 0").first().waitFor();
  await payload.getByText(/It runs for Orders/).waitFor();
  await chat.idle();
  await here.look("health-card");
  await here.shrink("health-card-phone");
  await card.apply.click();
  await card.outcome.waitFor();
  await here.page.goto("/health/checks");
  await here.page.getByTestId("check-link").filter({ hasText: name }).waitFor();
});

test("Who may only see how systems fare sees that and nothing else", async ({ visit, administrator }) => {
  const name = unique("Mail");
  const system = await administrator.post<{ id: string }>("/api/catalog/systems", { name });
  await administrator.post("/api/healthcheck/checks", {
    name: unique("Mail answers"),
    strategyId: "healthcheck-http.http",
    intervalSeconds: 1,
    collectors: [{ collectorId: "healthcheck-http.request", config: { url: shop.url } }],
    assignToSystemId: system.id,
  });
  const rules = ["catalog.system.read", "healthcheck.healthcheck.status.read"];
  const { id } = await administrator.post<{ id: string }>("/api/roles", { name: unique("Onlookers"), rules });
  const credentials = { email: `${unique("joan").replace(" ", "-")}@example.org`, password: "correct horse battery" };
  await administrator.post("/api/users", { ...credentials, name: "Joan Clarke", roleIds: [id] });
  const here = await visit(await Person.signIn(administrator.base, credentials));
  const { page } = here;
  await page.goto("/health");
  await page.getByTestId("board-row").filter({ hasText: name }).getByRole("link").click();
  await page.getByTestId("target").waitFor();
  await page.getByTestId("run").first().waitFor();
  await page.getByTestId("no-details").waitFor();
  expect(await page.getByTestId("run").first().getByRole("button").isDisabled()).toBe(true);
  for (const offered of ["new-check", "run-now"]) expect(await page.getByTestId(offered).count()).toBe(0);
  expect(await page.getByRole("navigation", { name: "Health" }).getByRole("link").allInnerTexts()).toEqual([
    "Systems",
    "Locations",
  ]);
});
