import { describe, expect } from "vitest";
import { test } from "./test";

describe("Before the editor has arrived", () => {
  test("a script can be typed, and the editor goes on where the cursor is", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const { promise: typed, resolve: goOn } = Promise.withResolvers<void>();
    await page.route(/\/assets\/ScriptEditor-/, async (route) => {
      await typed;
      await route.continue();
    });
    await page.goto("/scripts?context=healthcheck-script");
    const plain = page.getByTestId("plain-editor");
    await plain.fill("const first = 1;\nreturn last;");
    // Between the two lines.
    for (const key of ["ArrowUp", "End", "Enter"]) await plain.press(key);
    await page.keyboard.insertText("const last");
    await here.look("scripts-plain");
    await here.shrink("scripts-plain-phone");

    goOn();
    await plain.waitFor({ state: "detached" });
    await page.keyboard.insertText(" = first + 1;");
    const lines = page.getByTestId("script-editor").locator(".view-line");
    await lines.filter({ hasText: "const last = first + 1;" }).waitFor();
    await lines.filter({ hasText: "const first = 1;" }).waitFor();
    await lines.filter({ hasText: "return last;" }).waitFor();
    expect(await lines.count()).toBe(3);
    // The visible source is the source that runs.
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByTestId("script-outcome").getByText('"value": 2').first().waitFor();
  });
});

test("What a page is made of and who is signed in are asked for beside the app, once", async ({ visit }) => {
  const { page } = await visit();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const { promise: both, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(/\/assets\/app-/, async (route) => {
    await both;
    await route.continue();
  });
  const beside = [page.waitForRequest(/\/assets\/chat-/), page.waitForRequest(/\/api\/me$/)];
  await page.goto("/chat", { waitUntil: "commit" });
  await Promise.all(beside);
  goOn();
  await page.getByTestId("composer").waitFor();
  expect(asked.filter((path) => path === "/api/me" || path.startsWith("/assets/chat-"))).toHaveLength(2);
});
