import { randomUUID } from "node:crypto";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { violations } from "./axe";
import { Chat, PlanCard } from "./chat";
import { unique } from "./names";
import { Network } from "./network";
import { scripted as test } from "./test";

/** Marks the document, to see that it was not read again. */
const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { mark: true }));
const isMarked = (page: Page) => page.evaluate(() => "mark" in window);

describe("While the server does not answer", () => {
  test("pages say so, wait for it, and go on by themselves", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    here.expects(/ERR_CONNECTION_REFUSED|ERR_ABORTED|ERR_FAILED/);
    const network = await Network.of(page);
    await page.goto("/catalog/systems");
    await page.getByTestId("systems-page").waitFor();
    await mark(page);
    const notice = page.getByTestId("server-notice");

    // A page that hangs, and whose parts were never loaded.
    network.freeze();
    await page.getByTestId("nav-memory").click();
    await notice.getByText("The server cannot be reached").waitFor();
    await here.look("server-frozen");
    await network.mend();
    await page.getByTestId("memory-page").waitFor();
    await notice.waitFor({ state: "detached" });

    // One that nobody listens for.
    network.remove();
    await page.getByTestId("nav-skills").click();
    await notice.getByText("The server cannot be reached").waitFor();
    expect(await page.getByTestId("memory-page").count()).toBe(1);
    await network.mend();
    await page.getByTestId("skills-page").waitFor();
    await notice.waitFor({ state: "detached" });

    network.remove();
    await page.getByTestId("nav-docs").click();
    await notice.getByText("The server cannot be reached").waitFor();
    await network.mend();
    await page.getByTestId("docs-page").waitFor();
    await notice.waitFor({ state: "detached" });
    expect(await isMarked(page)).toBe(true);
    here.keepsBudget();
  });

  test("a list says that it could not be read, and reads itself again", async ({ visit, administrator }) => {
    const name = unique("Unread");
    await administrator.post("/api/catalog/systems", { name });
    const here = await visit();
    const { page } = here;
    here.expects(/ERR_CONNECTION_REFUSED/);
    // Its parts are there.
    await page.goto("/catalog/systems");
    await page.getByTestId("systems-page").waitFor();
    await page.getByTestId("nav-chat").click();
    await page.getByTestId("composer").waitFor();
    const network = await Network.of(page);
    network.remove();
    await page.getByTestId("nav-catalog").click();
    await page.getByTestId("system-search").fill(name);
    await page.getByTestId("error").getByText("The server did not respond").first().waitFor();
    await network.mend();
    await page.getByTestId("system-link").filter({ hasText: name }).waitFor();
    await page.getByTestId("error").waitFor({ state: "detached" });
    expect(await page.getByTestId("server-notice").count()).toBe(0);
    here.keepsBudget();
  });

  test("a message is said to be on its way, and arrives once", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    here.expects(/ERR_CONNECTION_REFUSED/);
    const chat = await Chat.open(page);
    await chat.ask("Which systems do we have?");
    await chat.answers.first().waitFor();
    await chat.idle();
    const network = await Network.of(page);
    network.remove();
    await chat.ask("And who owns them?");
    const notice = page.getByTestId("chat-notice");
    await notice.getByText("Your message is not delivered yet").waitFor();
    expect(await page.getByText("the answer continues").count()).toBe(0);
    expect(await page.getByText("Thinking…").count()).toBe(0);
    await network.mend();
    await chat.answers.nth(1).waitFor();
    await chat.idle();
    await notice.waitFor({ state: "detached" });
    expect(await chat.questions.count()).toBe(2);
    await page.reload();
    await chat.answers.nth(1).waitFor();
    expect(await chat.questions.count()).toBe(2);
    here.keepsBudget();
  });

  test("a message that never arrives comes back to the box", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    here.expects(/ERR_CONNECTION_REFUSED/);
    const chat = await Chat.open(page);
    await chat.ask("Which systems do we have?");
    await chat.answers.first().waitFor();
    await chat.idle();
    const address = page.url();
    const network = await Network.of(page);
    network.freeze();
    await chat.ask("And who owns them?");
    await page.getByTestId("chat-notice").getByText("Your message is not delivered yet").waitFor();
    // The page is left, and the request with it is gone.
    await page.goto("about:blank");
    await network.mend();
    await page.goto(address);
    await expect.poll(() => chat.composer.inputValue()).toBe("And who owns them?");
    expect(await chat.questions.count()).toBe(1);
    here.keepsBudget();
  });
});

describe("A new chat", () => {
  test("is none before its first message, and knows no skill of the one before", async ({ visit, administrator }) => {
    const chats = async () =>
      (await administrator.get<{ conversations: unknown[] }>("/api/ai/conversations")).conversations.length;
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.ask("Which systems do we have?");
    await chat.answers.first().waitFor();
    await chat.idle();
    const before = await chats();
    for (let times = 0; times < 3; times++) {
      await page.getByTestId("new-chat").click();
      await page.waitForURL("**/chat");
    }
    await chat.composer.press("/");
    await page.getByTestId("skill-search").fill("incident");
    await page.getByTestId("skill-option").filter({ hasText: "Incident commander" }).click();
    const banner = page.getByTestId("skill-banner");
    await banner.waitFor();
    await chat.composer.fill("");
    await page.getByTestId("new-chat").click();
    await banner.waitFor({ state: "detached" });
    expect(await chats()).toBe(before);
  });
});

test("An address that is none is said to be, beside the way to all others", async ({ visit }) => {
  const here = await visit();
  for (const path of ["/nothing/here", "/admin/nothing"]) {
    await here.page.goto(path);
    await here.page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(await here.page.getByTestId("nav-catalog").count()).toBe(1);
  }
  await here.look("no-such-page");
});

test("A secret that is gone is not asked for its uses any more", async ({ visit, administrator }) => {
  const name = `GONE_${randomUUID().slice(0, 6).toUpperCase()}`;
  await administrator.post("/api/secrets", { name, description: "", value: "value-of-the-gone" });
  const here = await visit();
  const { page } = here;
  await page.goto("/admin/secrets");
  // The question what uses it is on its way for as long as the deletion takes.
  const asked: (() => void)[] = [];
  let deleted = false;
  await page.route(`**/api/secrets/${name}/uses`, async (route) => {
    if (!deleted) await new Promise<void>((resolve) => asked.push(resolve));
    await route.continue().catch(() => {});
  });
  const row = page.getByTestId("row").filter({ hasText: name });
  await row.getByRole("button", { name: `Delete ${name}` }).click();
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  await page.getByTestId("confirm-dialog-confirm").click();
  await row.waitFor({ state: "detached" });
  deleted = true;
  for (const go of asked) go();
  // It would be a 404, which the visit does not forgive.
  await page.getByTestId("toast").getByText(`${name} was deleted`).waitFor();
  await page.reload();
  await page.getByTestId("secrets-page").waitFor();
  expect(here.problems()).toEqual([]);
});

/** The headings of a page that are out of order, and what else keeps people from finding their way. */
async function disorder(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run({
      runOnly: ["heading-order", "label", "scrollable-region-focusable"],
    }),
  );
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${page.url()}: ${id}: ${node.html}`));
}

const answer = [
  "### Steps",
  "- [x] Looked it up",
  "- [ ] Told somebody",
  "",
  "#### How",
  "```sh",
  `curl ${"https://example.org/".repeat(20)}`,
  "```",
  "",
  `| ${Array.from({ length: 20 }, (_, column) => `A long name of column ${column}`).join(" | ")} |`,
  `|${"---|".repeat(20)}`,
  `| ${Array.from({ length: 20 }, () => "value").join(" | ")} |`,
].join("\n");

test("Chats, plans, proposals and memories have their headings in order, and what scrolls can be reached", async ({
  visit,
  administrator,
}) => {
  const here = await visit();
  const { page } = here;
  const chat = await Chat.open(page);
  await chat.perform(`text=${JSON.stringify(answer)}`);
  await chat.answers.first().getByText("Told somebody").waitFor();
  await chat.idle();
  expect(await disorder(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);

  const input = { context: "healthcheck-script", source: `console.log("${"x".repeat(400)}");\nreturn true;` };
  await chat.perform(`tool=healthcheck.testScript input=${JSON.stringify(input)} text="Tried it."`);
  await chat.says("Tried it.");
  await chat.idle();
  const line = chat.answers.last().getByTestId("tool-line");
  await line.getByRole("button").first().click();
  await line.getByTestId("script-test").waitFor();
  expect(await disorder(page)).toEqual([]);

  const stem = unique("Ordered");
  await page.getByTestId("new-chat").click();
  await chat.perform(
    ["API", "UI"]
      .map((part) => `r1.tool=catalog.createSystem r1.input=${JSON.stringify({ name: `${stem} ${part}` })}`)
      .join(" ") + ' text="Two changes wait for you."',
  );
  const plan = new PlanCard(page.getByTestId("plan-card"));
  await plan.is("proposed");
  await chat.idle();
  expect(await disorder(page)).toEqual([]);
  for (const status of ["proposed", "all"]) {
    await page.goto(`/proposals?status=${status}`);
    await page.getByTestId("plan-card").first().waitFor();
    expect(await disorder(page)).toEqual([]);
  }
  await administrator.post("/api/ai/memories", {
    scope: "user",
    recallHint: unique("headings"),
    content: "They are in order.",
  });
  await page.goto("/memory");
  await page.getByTestId("memory").first().waitFor();
  expect(await disorder(page)).toEqual([]);
});
