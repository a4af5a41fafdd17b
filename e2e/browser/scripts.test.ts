import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { Person } from "../stack/person";
import { unique } from "./names";
import { test } from "./test";
import { desktop, phone } from "./visit";

/** The script playground. */
class Playground {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(page: Page, context: string): Promise<Playground> {
    await page.goto(`/scripts?context=${context}`);
    const playground = new Playground(page);
    await playground.text.waitFor();
    return playground;
  }

  get text() {
    return this.page.getByRole("textbox", { name: /^Script: / });
  }

  get outcome() {
    return this.page.getByTestId("script-outcome");
  }

  get problems() {
    return this.page.getByTestId("script-problem");
  }

  /** Pastes a script over the present one, as typing would close brackets and indent lines. */
  async write(source: string): Promise<void> {
    await this.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await this.page.evaluate((text) => navigator.clipboard.writeText(text), source);
    await this.text.focus();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.press("ControlOrMeta+v");
  }

  async run(): Promise<void> {
    await this.text.focus();
    await this.page.keyboard.press("ControlOrMeta+Enter");
  }
}

describe("The script playground", () => {
  test("runs what is typed, and shows the result and the log", async ({ visit }) => {
    const here = await visit();
    const playground = await Playground.open(here.page, "healthcheck-script");
    await playground.write("console.warn('looking at', context.system.name);\nreturn { success: true, value: 40 + 2 };");
    await playground.run();
    await playground.outcome.getByText("Finished", { exact: true }).waitFor();
    await here.page.getByTestId("script-result").getByText('"value": 42').waitFor();
    await here.page.getByTestId("script-logs").getByText("looking at Checkout").waitFor();
    expect(await playground.problems.count()).toBe(0);
    await here.look("scripts-result");

    // The draft outlives the page, and belongs to its context.
    await here.page.reload();
    await playground.text.waitFor();
    await here.page.locator(".view-line", { hasText: "looking at" }).waitFor();
    await here.page.getByTestId("script-context").selectOption("automation-action-script");
    await here.page.locator(".view-line", { hasText: "defineAction" }).first().waitFor();
  });

  test("marks a type error and leads to it", async ({ visit }) => {
    const here = await visit();
    const playground = await Playground.open(here.page, "automation-action-script");
    await playground.write('const lines = 1;\n\nconst total: number = "many";\nreturn { total, lines };');
    const problem = playground.problems.filter({ hasText: "not assignable to type 'number'" });
    await problem.waitFor();
    expect(await problem.innerText()).toContain("TS2322");
    await here.page.locator(".squiggly-error").waitFor();
    await playground.run();
    await playground.outcome.getByText("Finished with type errors").waitFor();
    // The editor and the server agree, so there is one line about it.
    expect(await playground.problems.count()).toBe(1);
    await problem.click();
    await here.page.locator(".line-numbers.active-line-number").getByText("3", { exact: true }).waitFor();
    await here.look("scripts-problem");
  });

  test("shows where a script has thrown", async ({ visit }) => {
    const here = await visit();
    const playground = await Playground.open(here.page, "automation-action-script");
    await playground.write("function broken(): never {\n  throw new TypeError('no luck');\n}\n\nreturn broken();");
    await playground.run();
    await here.page.getByTestId("script-error").getByText("no luck").waitFor();
    await here.page.getByTestId("script-frame").first().click();
    await here.page.locator(".line-numbers.active-line-number").getByText("2", { exact: true }).waitFor();
    await here.look("scripts-error");
  });

  test("says that the time was used up, and lets a run be canceled", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const playground = await Playground.open(page, "automation-action-script");
    await playground.write("for (;;) {}");
    await page.getByTestId("script-timeout").fill("0.5");
    await playground.run();
    await playground.outcome.getByText("Timed out", { exact: true }).waitFor();
    await page.getByText("The script used up its time and was stopped.").waitFor();
    await here.look("scripts-timeout");
    await page.getByTestId("script-timeout").fill("20");
    await playground.run();
    await page.getByTestId("script-running").waitFor();
    await page.getByTestId("cancel-script").click();
    await page.getByText("Cancelled", { exact: true }).waitFor();
    await page.getByTestId("script-sample").fill("{");
    await playground.run();
    await page.getByText("This is not valid JSON").waitFor();
    await page.getByTestId("script-issues").waitFor();
  });

  test("runs shell with variables, and shows the exit code", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const playground = await Playground.open(page, "healthcheck-shell");
    await playground.write('echo "$COUNTERSIGN_SYSTEM_NAME in $REGION"\necho trouble >&2\nexit 3');
    await page.getByTestId("script-env").fill('{ "REGION": "eu-west" }');
    await playground.run();
    await playground.outcome.getByText("Exit code 3").waitFor();
    expect(await page.getByTestId("script-stdout").innerText()).toContain("Checkout in eu-west");
    expect(await page.getByTestId("script-stderr").innerText()).toContain("trouble");
    await here.look("scripts-shell");
  });

  test("is left with the keyboard", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const playground = await Playground.open(page, "automation-action-shell");
    await playground.write("echo here");
    await page.keyboard.press("Tab");
    await playground.text.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Control+m");
    await page.keyboard.press("Tab");
    await page.getByTestId("run-script").and(page.locator(":focus")).waitFor();
  });

  test("is one click away, and fits on a phone", async ({ visit }) => {
    const here = await visit();
    await here.page.goto("/chat");
    await here.page.getByTestId("nav-scripts").first().click();
    await here.page.getByTestId("script-editor").locator(".view-line").first().waitFor();
    // The other pages allow no inline styles; only the document of the editor does.
    const policy = async (path: string) => (await here.page.request.get(path)).headers()["content-security-policy"];
    expect(await policy("/scripts")).toContain("'unsafe-inline'");
    expect(await policy("/chat")).not.toContain("'unsafe-inline'");
    await here.page.getByTestId("nav-catalog").first().click();
    await here.page.getByTestId("systems-page").waitFor();
    expect(await here.page.evaluate(() => performance.getEntriesByType("navigation")[0]?.name)).toContain("/catalog");

    const small = await visit(undefined, { viewport: phone, hasTouch: true });
    await Playground.open(small.page, "healthcheck-script");
    await small.page.locator(".view-line", { hasText: "defineHealthCheck" }).first().waitFor();
    expect(await small.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    await small.look("scripts-phone");
  });

  test("offers people the contexts of what they manage", async ({ visit, administrator }) => {
    const { id } = await administrator.post<{ id: string }>("/api/roles", {
      name: unique("Automators"),
      rules: ["automation.automation.manage"],
    });
    const credentials = { email: `joan-${randomUUID().slice(0, 6)}@example.org`, password: "correct horse battery" };
    await administrator.post("/api/users", { ...credentials, name: "Joan Clarke", roleIds: [id] });
    const here = await visit(await Person.signIn(administrator.base, credentials), { viewport: desktop });
    await here.page.goto("/scripts");
    await here.page.getByTestId("script-context").waitFor();
    expect(await here.page.getByTestId("script-context").locator("option").allInnerTexts()).toEqual([
      "Automation action, TypeScript",
      "Automation action, shell",
    ]);
  });
});
