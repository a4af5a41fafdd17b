import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Chat } from "./chat";
import { test } from "./test";

const key = "sk-typed-0123456789";

/** A provider that has one key and three models. */
let provider: Server;
beforeAll(async () => {
  provider = createServer((request, response) => {
    const known = request.headers.authorization === `Bearer ${key}`;
    response.writeHead(known ? 200 : 401, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        known
          ? {
              data: [
                { id: "large-thinker", context_length: 200_000 },
                { id: "small-writer", context_length: 32_000 },
                { id: "embedder" },
              ],
            }
          : { error: { message: "Incorrect API key provided.", type: "invalid_request_error" } },
      ),
    );
  }).listen(0, "127.0.0.1");
  await once(provider, "listening");
});
afterAll(() => {
  provider.close();
});

describe("An administrator", () => {
  test("chooses a model from the list of a provider that is not saved yet", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const name = `Listing provider ${randomUUID().slice(0, 6)}`;
    const { port } = provider.address() as AddressInfo;
    await page.goto("/admin/connections");
    await page.getByTestId("new-connection").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill(name);
    await form.getByLabel("Base URL").fill(`http://127.0.0.1:${port}/v1`);
    await form.getByLabel("API key").fill("sk-wrong-0123456789");
    await form.getByTestId("ask-models").click();
    await form.getByTestId("models-answer").getByText("The provider refuses the key.").waitFor();
    await here.picture("connection-models-refused");

    await form.getByLabel("API key").fill(key);
    await form.getByTestId("ask-models").click();
    await form.getByTestId("models-answer").getByText("The provider lists 3 models.").waitFor();
    const model = form.getByLabel("Default model");
    await model.click();
    await page.getByRole("option", { name: /embedder/ }).waitFor();
    await model.fill("small");
    await page.getByRole("option", { name: /embedder/ }).waitFor({ state: "detached" });
    await here.look("connection-models");
    await page.getByRole("option", { name: /small-writer/ }).click();
    await form.getByText("Context window: 32,000 tokens").waitFor();
    await form.getByLabel("Available models").fill("my-own, lar");
    await page.getByRole("option", { name: /large-thinker/ }).click();
    await expect.poll(() => form.getByLabel("Available models").inputValue()).toBe("my-own, large-thinker, ");
    await form.getByTestId("form-submit").click();
    const row = page.getByTestId("row").filter({ hasText: name });
    await row.getByText("small-writer").waitFor();
  });

  test("sees what everybody has used, saves it, and finds the own use on the account page", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.ask("Which systems do we have?");
    await chat.answers.first().waitFor();
    await chat.idle();
    await page.goto("/admin/spend?span=week");
    const table = page.getByTestId("spend-table");
    await table.getByRole("button", { name: "Demo model" }).waitFor();
    await page.getByTestId("spend-plot").locator("canvas").waitFor();
    await here.look("admin-spend");
    await here.shrink("admin-spend-phone");
    const download = page.waitForEvent("download");
    await page.getByTestId("spend-csv").click();
    expect((await download).suggestedFilename()).toMatch(/^spend-by-connection-.*\.csv$/);
    await table.getByRole("button", { name: "Demo model" }).click();
    await page.waitForURL(/split=person/);
    await table.getByRole("columnheader", { name: "Person" }).waitFor();
    await page.getByTestId("spend-split").selectOption("caller");
    await table.getByText("Chat in the app").waitFor();

    await page.goto("/account");
    await page.getByTestId("spend-table").getByText("Demo model").waitFor();
    await page.getByTestId("spend-plot").locator("canvas").waitFor();
    await here.look("account-spend");
    await here.shrink("account-spend-phone");
  });
});
