import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { Person } from "../stack/person";
import { Chat } from "./chat";
import { unique } from "./names";
import { scripted, test } from "./test";
import { desktop, phone } from "./visit";

/** Slow machines need a longer timeout than the policy's default until Cancel is pressed. */
async function setTimeOfTests(administrator: Person, timeoutMs: number): Promise<void> {
  const {
    network,
    allow,
    test: tests,
    run,
  } = await administrator.get<{ network: string; allow: string[]; test: object; run: object }>("/api/script-policy");
  const body = JSON.stringify({ network, allow, test: { ...tests, timeoutMs }, run });
  const answer = await administrator.request("/api/script-policy", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body,
  });
  expect(answer.status).toBe(200);
  // A process goes on for a second with what it has read.
  await expect
    .poll(
      async () =>
        (
          await administrator.post<{ warnings: string[] }>("/api/automation/script-tests", {
            context: "automation-action-script",
            source: "return 1",
            timeoutMs: 30_000,
          })
        ).warnings,
    )
    .toEqual([]);
}

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
    return this.page.getByRole("textbox", { name: /^Script: .* Escape/ });
  }

  get outcome() {
    return this.page.getByTestId("script-outcome");
  }

  get problems() {
    return this.page.getByTestId("script-problem");
  }

  /** Waits until this has been said to who does not see the page. */
  async said(text: string | RegExp): Promise<void> {
    await this.page.getByTestId("script-status").getByText(text).waitFor({ state: "attached" });
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
    await playground.write(
      "console.warn('looking at', context.system.name);\nreturn { success: true, value: 40 + 2 };",
    );
    await playground.run();
    await playground.outcome.getByText("Finished", { exact: true }).waitFor();
    await here.page.getByTestId("script-result").getByText('"value": 42').waitFor();
    await here.page.getByTestId("script-logs").getByText("looking at Checkout").waitFor();
    expect(await playground.problems.count()).toBe(0);
    await playground.said(/^Finished, \d+ ms\.$/);
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
    await here.page.locator(".squiggly-error").waitFor();
    await playground.said(/^Failed, .*TypeError: no luck$/);
    await here.page.getByTestId("script-frame").first().click();
    await here.page.locator(".line-numbers.active-line-number").getByText("2", { exact: true }).waitFor();
    await here.look("scripts-error");
  });

  test("says that the time was used up, and lets a run be canceled", async ({ visit, product, administrator }) => {
    const here = await visit();
    const { page } = here;
    const playground = await Playground.open(page, "automation-action-script");
    await playground.write("for (;;) {}");
    await page.getByTestId("script-timeout").fill("0.5");
    await playground.run();
    await playground.outcome.getByText(/^Stopped after \d/).waitFor();
    await playground.outcome.getByTestId("script-advice").getByText("Look for a loop").waitFor();
    await playground.said(/^Stopped after \d.*did not end within 500 ms/);
    await here.look("scripts-timeout");
    await page.getByTestId("script-timeout").fill("30");
    await setTimeOfTests(administrator, 30_000);
    await page.getByTestId("run-script").focus();
    await page.keyboard.press("Enter");
    await playground.said("The script is running.");
    // A second press does nothing, and the focus stays for a third.
    await page.keyboard.press("Enter");
    await page.getByTestId("run-script").and(page.locator(":focus")).waitFor();
    await here.picture("scripts-running");
    await expect.poll(() => product.query("SELECT status FROM script_tests")).toEqual([{ status: "running" }]);
    await page.getByTestId("cancel-script").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Cancelled", { exact: true }).waitFor();
    await playground.said("The run was cancelled.");
    await page.getByTestId("run-script").and(page.locator(":focus")).waitFor();
    await here.picture("scripts-cancelled");
    // Nobody waits for the rest of its 30 seconds: the place in the sandbox is free.
    await expect.poll(() => product.query("SELECT status FROM script_tests")).toEqual([]);
    await playground.write("return 'next';");
    await playground.run();
    await page.getByTestId("script-result").getByText("next").waitFor();
    await page.getByTestId("script-sample").fill("{");
    await playground.run();
    await page.getByText("Not valid JSON").waitFor();
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

  test("says how a run has ended and what to do about it", async ({ visit }) => {
    const here = await visit();
    const playground = await Playground.open(here.page, "automation-action-script");
    const endings: [script: string, label: string, advice: string][] = [
      [
        "const all = []; for (;;) all.push(new Array(100_000).fill(1.5));",
        "Stopped: out of memory",
        "Hold less in memory at once",
      ],
      ["return 'x'.repeat(3_000_000);", "Result too large", "Return less"],
      ["return 10n;", "Result is not JSON", "turn a BigInt into a text"],
      ["await new Promise(() => {});", "Stopped: waits forever", "Look for an await"],
      ["const fs = await import('fs');\nreturn fs;", "Import refused", "Remove the import"],
      ["const = 3;", "Not run", "Correct the line"],
      [
        "const answer = await fetch('https://status.example.com');\nreturn answer.status;",
        "No network",
        "An administrator sets",
      ],
    ];
    for (const [script, label, advice] of endings) {
      await playground.write(script);
      await playground.run();
      await playground.outcome.getByText(label, { exact: true }).waitFor();
      await playground.outcome.getByTestId("script-advice").getByText(advice).waitFor();
      await here.picture(`scripts-ending-${label.toLowerCase().replaceAll(/\W+/g, "-")}`);
    }
    // The rest of a long output appears on demand.
    await playground.write(
      "for (let line = 0; line < 20_000; line++) console.log('line', line, 'of a chatty script');\nreturn 1;",
    );
    await playground.run();
    await playground.outcome.getByText("Output truncated.").waitFor();
    expect(await here.page.getByTestId("script-logs").getByRole("listitem").count()).toBe(200);
    await here.look("scripts-cut");
    await playground.outcome.getByTestId("show-more").click();
    await here.page.getByTestId("script-logs").getByText("line 300 of").waitFor();
  });

  test("keeps its colors when the theme changes", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    await Playground.open(page, "healthcheck-script");
    await page.waitForFunction(
      () =>
        new Set([...document.querySelectorAll(".view-line span span")].map((token) => token.className.split(" ")[0]))
          .size > 3,
    );
    const colors = await page.evaluate(async () => {
      const seen: number[] = [];
      [...document.querySelectorAll("button")]
        .find((button) => button.getAttribute("aria-label") === "Dark theme")
        ?.click();
      for (let frame = 0; frame < 30; frame++) {
        await new Promise((resolve) => {
          requestAnimationFrame(resolve);
        });
        const painted = new Set(
          [...document.querySelectorAll(".view-line span span")].map((token) => token.className.split(" ")[0]),
        );
        seen.push(painted.size);
      }
      return { theme: document.documentElement.dataset.theme, fewest: Math.min(...seen) };
    });
    expect(colors.theme).toBe("dark");
    expect(colors.fewest).toBeGreaterThan(3);
  });

  test("takes every key that is typed into it", async ({ visit }) => {
    const { page } = await visit();
    const playground = await Playground.open(page, "automation-action-shell");
    await playground.text.focus();
    await page.keyboard.press("ControlOrMeta+a");
    // Anywhere else, each of them goes somewhere.
    const keys = "// an index?gp";
    for (const key of keys) await page.keyboard.press(key === " " ? "Space" : key);
    await page.getByTestId("script-editor").locator(".view-line").first().getByText(keys).waitFor();
    expect(new URL(page.url()).pathname).toBe("/scripts");
  });

  test("is left with the keyboard", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const playground = await Playground.open(page, "automation-action-shell");
    await playground.write("echo here");
    await page.keyboard.press("Tab");
    await playground.text.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await page.getByTestId("editor-keys").getByText("Tab leaves the editor now.").waitFor();
    // Typing continues the indentation.
    await page.keyboard.type("x");
    await page.getByTestId("editor-keys").getByText("Ctrl Enter runs.").waitFor();
    await page.keyboard.press("Tab");
    await playground.text.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await page.getByTestId("run-script").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Shift+Tab");
    await playground.text.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    await playground.text.and(page.locator(":focus")).waitFor({ state: "detached" });
    // The way that the editor has had all along leads out, too.
    await playground.text.focus();
    await page.keyboard.press("Control+m");
    await page.keyboard.press("Tab");
    await page.getByTestId("run-script").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("ControlOrMeta+Enter");
    await playground.outcome.waitFor();
    await playground.text.and(page.locator(":focus")).waitFor();
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

  test("gives a placeholder for a secret", async ({ visit }) => {
    const here = await visit();
    const playground = await Playground.open(here.page, "healthcheck-shell");
    await playground.write('echo "token $TOKEN"');
    await here.page.getByTestId("script-env").fill('{ "TOKEN": "${{ secrets.STATUS_API_TOKEN }}" }');
    await playground.run();
    await here.page.getByTestId("script-stdout").getByText("token __SECRET_STATUS_API_TOKEN__").waitFor();
    // Text typed at the last moment survives a reload.
    await playground.write("echo unsaved");
    await here.page.reload();
    await here.page.locator(".view-line", { hasText: "unsaved" }).waitFor();
    expect(await here.page.getByTestId("script-env").inputValue()).toContain("STATUS_API_TOKEN");
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

describe("A test of a script in the chat", () => {
  scripted("is readable, and goes on in the playground", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    const source =
      "// looks at the name\nconst total: number = 'many';\nconsole.log('system', context.system.name);\nthrow new TypeError('no luck');";
    await chat.perform(
      `tool=healthcheck.testScript input=${JSON.stringify({ context: "healthcheck-script", source, sampleContext: { system: { name: "Ledger" } } })} text="It failed."`,
    );
    await chat.says("It failed.");
    await chat.idle();
    const line = chat.answers.last().getByTestId("tool-line");
    await line.getByText("Failed", { exact: true }).waitFor();
    await line.getByRole("button").first().click();
    const card = line.getByTestId("script-test");
    await card.getByTestId("script-source").getByText("// looks at the name").waitFor();
    await card.getByTestId("script-source-problem").getByText("TS2322").waitFor();
    await card.getByTestId("script-error").getByText("no luck").waitFor();
    await card.getByTestId("script-logs").getByText("system Ledger").waitFor();
    expect(await card.innerText()).not.toContain('"durationMs"');
    await card.scrollIntoViewIfNeeded();
    await here.look("script-card");
    await here.shrink("script-card-phone");

    await card.getByTestId("script-handover").click();
    await page.waitForURL("**/scripts?context=healthcheck-script");
    await page.locator(".view-line", { hasText: "looks at the name" }).waitFor();
    expect(await page.getByTestId("script-sample").inputValue()).toContain("Ledger");
    // Undo leads back to what was there before, and a reload to what is there now.
    await page.getByRole("textbox", { name: /^Script: .* Escape/ }).focus();
    await page.keyboard.press("ControlOrMeta+z");
    await page.locator(".view-line", { hasText: "defineHealthCheck" }).first().waitFor();
  });
});
