import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Person } from "../stack/person";
import { Chat } from "./chat";
import { test } from "./test";
import { desktop, phone, resize } from "./visit";

const key = "sk-wrong-0123456789";

/** A provider that refuses every key, and repeats it, as a real one does. */
let provider: Server;
beforeAll(async () => {
  provider = createServer((_, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        error: {
          message: `Incorrect API key provided: ${key}.`,
          type: "invalid_request_error",
          code: "invalid_api_key",
          param: null,
        },
      }),
    );
  }).listen(0, "127.0.0.1");
  await once(provider, "listening");
});
afterAll(() => {
  provider.close();
});

describe("An administrator", () => {
  test("creates a user, who can chat and cannot administer", async ({ product, visit }) => {
    const here = await visit();
    const { page } = here;
    const credentials = { email: `ada-${randomUUID().slice(0, 6)}@example.org`, password: "correct horse battery" };
    await page.goto("/admin/users");
    await page.getByTestId("new-user").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill("Ada Lovelace");
    await form.getByLabel("E-mail").fill(credentials.email);
    await form.getByLabel("Password", { exact: true }).fill(credentials.password);
    expect(await form.getByLabel("Must choose their own password").isChecked()).toBe(true);
    await form.getByLabel("users").check();
    await here.picture("admin-user-form");
    await form.getByTestId("form-submit").click();
    await page.getByTestId("row").filter({ hasText: credentials.email }).waitFor();
    await here.picture("admin-users");

    const ada = await visit(await Person.signIn(product.url, credentials));
    await ada.page.goto("/catalog/systems");
    const password = ada.page.getByTestId("own-password");
    await password.waitFor();
    await ada.look("own-password");
    await ada.shrink("own-password-phone", true);
    const own = "a password that only Ada knows";
    await password.getByLabel("Current password").fill(credentials.password);
    await password.getByLabel("New password", { exact: true }).fill(own);
    await password.getByLabel("Repeat new password").fill(own);
    await password.getByTestId("change-password").click();
    await ada.page.waitForURL("**/catalog/systems");
    const chat = await Chat.open(ada.page);
    await ada.page.getByTestId("me").getByText("Ada Lovelace").waitFor({ state: "attached" });
    expect(await ada.page.getByTestId("nav-admin").count()).toBe(0);
    await chat.ask("Which systems do we have?");
    await chat.answers.first().waitFor();
    await chat.idle();
  });

  test("reads why a provider refuses a connection, and that the demo model answers", async ({
    visit,
    administrator,
  }) => {
    const here = await visit();
    const { page } = here;
    const name = `Refusing provider ${randomUUID().slice(0, 6)}`;
    const { port } = provider.address() as AddressInfo;
    await page.goto("/admin/connections");
    await page.getByTestId("new-connection").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill(name);
    await form.getByLabel("Base URL").fill(`http://127.0.0.1:${port}/v1`);
    await form.getByLabel("API key").fill(key);
    await form.getByLabel("Default model").fill("some-model");
    await here.picture("admin-connection-form");
    await form.getByTestId("form-submit").click();
    const row = page.getByTestId("row").filter({ hasText: name });
    await row.getByTestId("test-connection").click();
    await row.getByTestId("connection-check").getByText("Incorrect API key provided: [redacted].").waitFor();
    const demo = page.getByTestId("row").filter({ hasText: "Demo model" });
    await demo.getByTestId("test-connection").click();
    await demo.getByTestId("connection-check").getByText("answered in").waitFor();
    await here.look("admin-connections");
    await here.shrink("admin-connections-phone");
    await resize(page, phone);
    const address = row.getByText(`http://127.0.0.1:${port}/v1`);
    expect((await address.boundingBox())?.width).toBeGreaterThan(150);
    await resize(page, desktop);
    // A badge leaves room for the finding beside it.
    const unknown = row.getByTestId("finding-models").locator("> span");
    const [subject, words] = [unknown.first().getByText("unknown"), unknown.last()];
    const [badge, text] = [await subject.boundingBox(), await words.boundingBox()];
    expect((badge?.x ?? 0) + (badge?.width ?? 0)).toBeLessThan(text?.x ?? 0);

    // The result says when it is about the connection before its last change.
    await row.getByRole("button", { name: /^Edit/ }).click();
    await form.getByLabel("Context window (tokens)").fill("100");
    await form.getByTestId("form-submit").click();
    await form.getByText("Enter a whole number from 4,096 to 100,000,000.").waitFor();
    await form.getByLabel("Context window (tokens)").and(page.locator(":focus")).fill("8192");
    await form.getByTestId("form-submit").click();
    await form.waitFor({ state: "detached" });
    await row.getByText("Tested before the last change of the connection.").waitFor();
    expect(await page.content()).not.toContain(key);

    await row.getByRole("button", { name: /^Delete/ }).click();
    await page.getByTestId("confirm-dialog-confirm").click();
    await row.waitFor({ state: "detached" });
    const { connections } = await administrator.get<{ connections: { name: string }[] }>("/api/ai/connections");
    expect(connections.map((connection) => connection.name)).not.toContain(name);
  });

  test("makes an application and sees its token once", async ({ product, visit }) => {
    const here = await visit();
    const { page } = here;
    const name = `Deploy robot ${randomUUID().slice(0, 6)}`;
    await page.goto("/admin/applications");
    await page.getByTestId("new-application").click();
    await page.getByTestId("form-dialog").getByLabel("Name").fill(name);
    await page.getByTestId("form-dialog").getByRole("checkbox").first().check();
    await page.getByTestId("form-submit").click();
    const token = await page.getByTestId("application-token").innerText();
    await here.picture("admin-token");
    const answer = await fetch(`${product.url}/api/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    await page.reload();
    await page.getByTestId("row").filter({ hasText: name }).waitFor();
    expect(await page.content()).not.toContain(token);
    await page.getByTestId("row").filter({ hasText: name }).getByTestId("replace-token").click();
    await page.getByTestId("confirm-dialog-confirm").click();
    const replaced = await page.getByTestId("application-token").innerText();
    const statuses = await Promise.all(
      [token, replaced].map(
        async (bearer) =>
          (await fetch(`${product.url}/api/me`, { headers: { authorization: `Bearer ${bearer}` } })).status,
      ),
    );
    expect(statuses).toEqual([401, 200]);
    await page.goto("/admin/roles");
    await page.getByTestId("roles-page").getByTestId("row").first().waitFor();
    await here.picture("admin-roles");
  });
});
