import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { test } from "./test";

const secret = "gateway-0123456789";

/** A gateway with the API below /v1, for those who send its header. */
let gateway: Server;
/** Values of the header and of the extra member in the calls of the model. */
const calls: { key: string | undefined; tier: unknown }[] = [];
beforeAll(async () => {
  gateway = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += String(part);
    const body = (text ? JSON.parse(text) : {}) as { stream?: boolean; service_tier?: unknown };
    if (!request.url?.startsWith("/v1/")) {
      response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not found</h1>");
      return;
    }
    if (request.url === "/v1/models") {
      response.writeHead(200, { "content-type": "application/json" }).end('{"data": [{"id": "writer"}]}');
      return;
    }
    calls.push({ key: request.headers["x-gateway-key"]?.toString(), tier: body.service_tier });
    const choice = { index: 0, finish_reason: "stop" };
    if (body.stream) {
      const delta = JSON.stringify({ choices: [{ ...choice, delta: { content: "1 2 3" } }] });
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${delta}\n\ndata: [DONE]\n\n`);
      return;
    }
    const whole = { choices: [{ ...choice, message: { role: "assistant", content: "OK" } }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
  }).listen(0, "127.0.0.1");
  await once(gateway, "listening");
});
afterAll(() => {
  gateway.close();
});

describe("An administrator", () => {
  test("sets what a gateway wants in its requests, and takes the address at which it answers", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const name = `Gateway ${randomUUID().slice(0, 6)}`;
    const { port } = gateway.address() as AddressInfo;
    await page.goto("/admin/connections");
    await page.getByTestId("new-connection").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name", { exact: true }).fill(name);
    await form.getByLabel("Base URL").fill(`http://127.0.0.1:${port}`);
    await form.getByLabel("Default model").fill("writer");
    // By keyboard alone: the focus follows what is added and removed.
    const add = form.getByTestId("add-header");
    await add.press("Enter");
    await form.getByLabel("Header 1", { exact: true }).and(page.locator(":focus")).fill("X-Gateway-Key");
    await form.getByLabel("Value of header 1").fill(secret);
    await add.press("Enter");
    await form.getByRole("button", { name: "Remove header 2" }).press("Enter");
    await add.and(page.locator(":focus")).waitFor();

    const members = form.getByLabel("Extra body members");
    await members.fill('{"service_tier": "flex",}');
    await form.getByTestId("form-submit").click();
    await form.getByText("no comma after the last member").waitFor();
    await members.and(page.locator(":focus")).fill('["flex"]');
    await form.getByText("Enter members in braces").waitFor();
    await here.look("connection-requests");
    await here.shrink("connection-requests-phone");
    await members.fill('{"service_tier": "flex"}');
    await form.getByTestId("form-submit").click();
    await form.waitFor({ state: "detached" });

    const row = page.getByTestId("row").filter({ hasText: name });
    const check = row.getByTestId("connection-check");
    await row.getByTestId("test-connection").click();
    const corrected = `http://127.0.0.1:${port}/v1`;
    const use = check.getByRole("button", { name: `Use ${corrected} and test again` });
    await use.waitFor();
    await here.look("connection-corrected");
    await here.shrink("connection-corrected-phone");
    calls.length = 0;
    await use.press("Enter");
    await check.getByText("The model writer answered").waitFor();
    await row.getByText(corrected, { exact: true }).waitFor();
    await row.getByTestId("test-connection").and(page.locator(":focus")).waitFor();
    await use.waitFor({ state: "detached" });
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) expect(call).toEqual({ key: secret, tier: "flex" });

    await page.reload();
    await row.getByRole("button", { name: /^Edit/ }).click();
    expect(await form.getByLabel("Header 1", { exact: true }).inputValue()).toBe("X-Gateway-Key");
    const value = form.getByLabel("Value of header 1");
    expect(await value.inputValue()).toBe("");
    await form.getByText("Leave empty to keep the stored value.").waitFor();
    expect(await page.content()).not.toContain(secret);
    // The value belongs to the server that it was entered for.
    await form.getByLabel("Base URL").fill("https://other.example.com/v1");
    await form.getByTestId("form-submit").click();
    await value.and(page.locator(":focus[aria-invalid=true]")).waitFor();
    await form.getByText("Enter it again: the address is on another server.").waitFor();
  });
});
