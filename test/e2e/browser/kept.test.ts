import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { Person } from "../stack/person";
import { Chat } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";

/** Colleague who chats and manages systems. */
async function colleague(administrator: Person) {
  const credentials = { email: `grace-${randomUUID().slice(0, 6)}@example.org`, password: "correct horse battery" };
  const rules = ["ai.chat.read", "catalog.system.read", "catalog.system.manage"];
  const { id } = await administrator.post<{ id: string }>("/api/roles", { name: unique("Colleagues"), rules });
  await administrator.post("/api/users", { ...credentials, name: "Grace Hopper", roleIds: [id] });
  return Person.signIn(administrator.base, credentials);
}

const cookiesOf = (person: Person) =>
  person.cookie.split("; ").map((cookie) => {
    const at = cookie.indexOf("=");
    return { name: cookie.slice(0, at), value: cookie.slice(at + 1), url: person.base };
  });

/** Waits until the message box holds this text. */
async function holds(chat: Chat, text: string): Promise<void> {
  await expect.poll(() => chat.composer.inputValue()).toBe(text);
}

/** The session of this browser becomes another user's, or ends. */
async function signedIn(page: Page, person: Person | null): Promise<void> {
  await page.context().clearCookies();
  if (person) await page.context().addCookies(cookiesOf(person));
}

describe("A message that is not sent yet", () => {
  test("is there again after another page, a reload and a sign-in, for its own person and its own chat", async ({
    visit,
    administrator,
    product,
  }) => {
    const here = await visit();
    const { page } = here;
    here.expects(/status of 401/);
    const chat = await Chat.open(page);
    await chat.ask("Which systems do we have?");
    await chat.answers.first().waitFor();
    await chat.idle();
    const address = page.url();
    await chat.composer.fill("A thought about the first chat");
    await page.getByTestId("new-chat").click();
    await page.waitForURL("**/chat");
    await holds(chat, "");
    await chat.composer.fill("A thought about a new one");

    // Another page, and back to where the person was.
    await page.getByTestId("nav-catalog").click();
    await page.getByTestId("systems-page").waitFor();
    await page.getByTestId("nav-chat").click();
    await holds(chat, "A thought about a new one");
    await page.getByTestId("conversation-row").first().getByRole("link").click();
    await page.waitForURL(address);
    await holds(chat, "A thought about the first chat");
    await page.getByTestId("nav-catalog").click();
    await page.getByTestId("systems-page").waitFor();
    await page.getByTestId("nav-chat").click();
    await page.waitForURL(address);
    await holds(chat, "A thought about the first chat");

    // A reload, and another tab.
    await page.reload();
    await holds(chat, "A thought about the first chat");
    const tab = await here.tab("/");
    await tab.waitForURL(address);
    await holds(new Chat(tab), "A thought about the first chat");
    await tab.close();

    // Another user sees none of it, and has a draft of their own.
    const grace = await colleague(administrator);
    await signedIn(page, grace);
    await page.goto("/chat");
    await holds(chat, "");
    expect(await page.getByTestId("conversation-row").count()).toBe(0);
    await chat.composer.fill("A thought of somebody else");

    // A sign-in brings it back.
    await signedIn(page, null);
    await page.goto("/chat");
    await page.getByLabel("E-mail").fill(product.credentials.email);
    await page.getByLabel("Password").fill(product.credentials.password);
    await page.getByTestId("sign-in-submit").click();
    await holds(chat, "A thought about a new one");
    await page.goto(address);
    await holds(chat, "A thought about the first chat");

    // Once it is sent it is nowhere else.
    await chat.composer.press("Enter");
    await chat.answers.nth(1).waitFor();
    await chat.idle();
    await page.reload();
    await chat.answers.nth(1).waitFor();
    await holds(chat, "");
  });

  test("is not taken by an example", async ({ visit }) => {
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.composer.fill("Half a thought");
    await here.page.getByTestId("example-prompt").nth(1).click();
    await chat.answers.first().waitFor();
    await holds(chat, "Half a thought");
  });
});

describe("A session that is over", () => {
  test("is begun again over the page, and what was being saved is saved once", async ({
    visit,
    administrator,
    product,
  }) => {
    const name = unique("Night shift");
    const here = await visit();
    const { page } = here;
    here.expects(/status of 401/);
    await page.goto("/catalog/systems");
    await page.getByTestId("new-system").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill(name);
    await signedIn(page, null);
    await form.getByTestId("form-submit").click();
    const dialog = page.getByTestId("sign-in-again");
    await dialog.getByText("Your session has ended").waitFor();
    await here.look("sign-in-again");
    await here.shrink("sign-in-again-phone");
    // Neither it nor what is below goes away.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await dialog.waitFor();
    await dialog.getByLabel("Password").fill("not the password");
    await dialog.getByTestId("sign-in-again-submit").click();
    await dialog.getByTestId("error").waitFor();
    await dialog.getByLabel("Password").fill(product.credentials.password);
    await dialog.getByTestId("sign-in-again-submit").click();
    await page.getByTestId("system-page").getByText(name).first().waitFor();
    expect(await dialog.count()).toBe(0);
    const { systems } = await administrator.get<{ systems: unknown[] }>(
      `/api/catalog/systems?query=${encodeURIComponent(name)}`,
    );
    expect(systems).toHaveLength(1);
  });

  test("lets a chat go on", async ({ visit, product }) => {
    const here = await visit();
    const { page } = here;
    here.expects(/status of 401/);
    const chat = await Chat.open(page);
    await chat.ask("Which systems do we have?");
    await chat.answers.first().waitFor();
    await chat.idle();
    await signedIn(page, null);
    await chat.ask("And who owns them?");
    const dialog = page.getByTestId("sign-in-again");
    await dialog.getByLabel("Password").fill(product.credentials.password);
    await dialog.getByTestId("sign-in-again-submit").click();
    await chat.answers.nth(1).waitFor();
    await chat.idle();
    expect(await chat.questions.count()).toBe(2);
  });

  test("repeats nothing for somebody else who signs in", async ({ visit, administrator }) => {
    const name = unique("Night shift");
    const grace = await colleague(administrator);
    const here = await visit();
    const { page } = here;
    here.expects(/status of 401/);
    await page.goto("/catalog/systems");
    await page.getByTestId("new-system").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill(name);
    await signedIn(page, null);
    await form.getByTestId("form-submit").click();
    await page.getByTestId("sign-in-again").waitFor();
    // As after a sign-in in another tab.
    page.on("dialog", (dialog) => void dialog.accept());
    await signedIn(page, grace);
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await page.getByTestId("me").filter({ hasText: "Grace Hopper" }).waitFor({ state: "attached" });
    expect(await page.content()).not.toContain(name);
    const { systems } = await administrator.get<{ systems: unknown[] }>(
      `/api/catalog/systems?query=${encodeURIComponent(name)}`,
    );
    expect(systems).toEqual([]);
  });

  test("of somebody else is nothing that a page left open acts in", async ({ visit, administrator }) => {
    const name = unique("Left open");
    const grace = await colleague(administrator);
    const here = await visit();
    const { page } = here;
    here.expects(/status of 401/);
    await page.goto("/catalog/systems");
    await page.getByTestId("new-system").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill(name);
    page.on("dialog", (dialog) => void dialog.accept());
    await signedIn(page, grace);
    await form.getByTestId("form-submit").click();
    await page.getByTestId("me").filter({ hasText: "Grace Hopper" }).waitFor({ state: "attached" });
    const { systems } = await administrator.get<{ systems: unknown[] }>(
      `/api/catalog/systems?query=${encodeURIComponent(name)}`,
    );
    expect(systems).toEqual([]);
  });
});

describe("A change of what somebody else has changed", () => {
  test("shows theirs and mine field by field, and saves what is chosen", async ({ visit, administrator }) => {
    const name = unique("Contested");
    const system = await administrator.post<{ id: string }>("/api/catalog/systems", { name, description: "As it was" });
    const here = await visit();
    const { page } = here;
    here.expects(/status of 412/);
    await page.goto(`/catalog/systems/${system.id}`);
    await page.getByTestId("edit-system").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill(`${name} of mine`);
    await form.getByLabel("Description").fill("Mine");
    await administrator.patch(`/api/catalog/systems/${system.id}`, {
      name: `${name} of theirs`,
      description: "Theirs",
      tags: ["theirs"],
    });
    await form.getByTestId("form-submit").click();
    const field = (label: string) =>
      form.getByTestId("conflict-field").filter({ has: page.getByText(label, { exact: true }) });
    await field("Name").getByText(`${name} of theirs`).waitFor();
    await field("Description").getByText("Theirs", { exact: true }).waitFor();
    expect(await form.getByTestId("conflict-field").count()).toBe(2);
    expect(await form.getByLabel("Tags").inputValue()).toBe("theirs");
    await here.look("form-conflict");
    await here.shrink("form-conflict-phone");
    await field("Name")
      .getByRole("radio", { name: /^Theirs/ })
      .check();
    expect(await form.getByLabel("Name").inputValue()).toBe(`${name} of theirs`);
    expect(await form.getByLabel("Description").inputValue()).toBe("Mine");
    await form.getByTestId("form-submit").click();
    await form.waitFor({ state: "detached" });
    expect(await administrator.get(`/api/catalog/systems/${system.id}`)).toMatchObject({
      name: `${name} of theirs`,
      description: "Mine",
      tags: ["theirs"],
    });
  });
});

describe("A form", () => {
  test("says at the field, once and in its words, what is wrong", async ({ visit, administrator }) => {
    const name = unique("Taken");
    await administrator.post("/api/catalog/systems", { name });
    const here = await visit();
    const { page } = here;
    here.expects(/status of (409|422)/);
    await page.goto("/catalog/systems");
    await page.getByTestId("new-system").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill(name);
    await form.getByLabel("Metadata").fill("tier = 1\nalone");
    await form.getByTestId("form-submit").click();
    await form.getByText("Line 2 has no “=”. Write it as: name = value.").waitFor();
    expect(await form.getByLabel("Metadata").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("Metadata").fill("tier = 1");
    await form.getByTestId("form-submit").click();
    await form.getByLabel("Name").and(page.locator('[aria-invalid="true"]')).waitFor();
    expect(await form.innerText()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    expect((await form.innerText()).match(/exists already/g)).toHaveLength(1);
    await here.look("form-name-taken");
  });
});

test("A script from the chat takes the place of a draft and not for good", async ({ visit }) => {
  const here = await visit();
  const { page } = here;
  const editor = page.getByTestId("script-editor");
  const shows = (text: string) => editor.locator(".view-line", { hasText: text }).first().waitFor();
  await page.goto("/scripts?context=healthcheck-script");
  await editor.locator(".view-line").first().waitFor();
  await page.getByRole("textbox", { name: /^Script: .* Escape/ }).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("// my own script");
  await shows("// my own script");

  const chat = await Chat.open(page);
  const input = { context: "healthcheck-script", source: "// from the chat\nreturn true;" };
  await chat.perform(`tool=healthcheck.testScript input=${JSON.stringify(input)} text="Tried it."`);
  await chat.says("Tried it.");
  await chat.idle();
  await chat.answers.last().getByTestId("tool-line").getByRole("button").first().click();
  await page.getByTestId("script-handover").click();
  await shows("// from the chat");
  const beside = page.getByTestId("scripts-beside");
  await beside.getByText("Another draft of yours is kept").waitFor();
  await here.look("scripts-beside");
  await page.reload();
  await shows("// from the chat");
  await beside.getByRole("button", { name: "Restore" }).click();
  await shows("// my own script");
  await beside.getByRole("button", { name: "Restore" }).click();
  await shows("// from the chat");
  await beside.getByRole("button", { name: "Discard" }).click();
  await beside.waitFor({ state: "detached" });
  await page.reload();
  await shows("// from the chat");
  expect(await beside.count()).toBe(0);
});

test("Back leads to where a list was left", async ({ visit, administrator }) => {
  for (let number = 0; number < 40; number++)
    await administrator.post("/api/catalog/systems", { name: unique(`Scrolled ${number}`) });
  const here = await visit();
  const { page } = here;
  await page.goto("/catalog/systems");
  const list = page.getByTestId("systems-page");
  const row = page.getByTestId("system-link").nth(25);
  await row.scrollIntoViewIfNeeded();
  const top = () => list.evaluate((element) => Math.round(element.scrollTop));
  const before = await top();
  expect(before).toBeGreaterThan(200);
  await row.click();
  await page.getByTestId("system-page").waitFor();
  expect(await page.getByTestId("system-page").evaluate((element) => element.scrollTop)).toBe(0);
  await page.goBack();
  await list.waitFor();
  await expect.poll(top).toBe(before);
  // Also when the page is read again.
  await page.reload();
  await list.waitFor();
  await expect.poll(top).toBe(before);
});
