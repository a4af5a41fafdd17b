import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Person } from "../stack/person";
import { test } from "./test";

/** A program on the person's computer that waits for the answer of the page. */
let program: Server;
let callback: string;
const answers: URL[] = [];

/** Going back to the program leaves the product. */
const back = /request off the origin: http:\/\/127\.0\.0\.1:\d+\/(callback|favicon)/;

beforeAll(async () => {
  program = createServer((request, response) => {
    const asked = new URL(request.url ?? "/", callback);
    if (asked.pathname === "/callback") answers.push(asked);
    response.end("You can close this page.");
  });
  await new Promise<void>((listening) => program.listen(0, "127.0.0.1", listening));
  callback = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
});

afterAll(() => void program.close());

describe("A program", () => {
  test("acts for a person who allows it, until they disconnect it", async ({ product, visit, administrator }) => {
    const email = `linus-${randomBytes(3).toString("hex")}@example.org`;
    const password = "correct horse battery";
    await administrator.post("/api/users", { email, name: "Linus", password });
    const linus = await Person.signIn(product.url, { email, password });
    const registered = await fetch(`${product.url}/oauth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ client_name: "Linus' editor", redirect_uris: [callback] }),
    });
    const { client_id: clientId } = (await registered.json()) as { client_id: string };
    const verifier = randomBytes(32).toString("base64url");
    const asks = (scope: string, more: Record<string, string> = {}) =>
      `/oauth/authorize?${new URLSearchParams({
        response_type: "code",
        client_id: clientId,
        redirect_uri: callback,
        scope,
        // A number as long as this one is another when it has been read as one.
        state: "12345678901234567890",
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        ...more,
      })}`;

    // A signed-out user signs in first, and comes back.
    const stranger = await visit(null);
    stranger.expects(/401/);
    stranger.expects(back);
    await stranger.page.goto(asks("countersign:read countersign:write"));
    await stranger.page.getByLabel("E-mail").fill(email);
    await stranger.page.getByLabel("Password").fill(password);
    await stranger.page.getByTestId("sign-in-submit").click();
    await stranger.page.getByTestId("consent-deny").click();
    await stranger.page.waitForURL(/callback/);
    expect(answers.at(-1)?.searchParams.get("error")).toBe("access_denied");
    expect(answers.at(-1)?.searchParams.get("state")).toBe("12345678901234567890");

    const here = await visit(linus);
    here.expects(back);
    const { page } = here;
    await page.goto(asks("countersign:read countersign:write"));
    await page.getByRole("heading", { name: "Linus' editor" }).waitFor();
    expect(await page.getByTestId("consent").innerText()).toContain("its name is unverified");
    await here.look("consent");
    await here.shrink("consent-phone", true);
    await page.getByLabel("Ask for changes in your name").uncheck();
    await page.getByTestId("consent-allow").click();
    await page.waitForURL(/callback/);
    const answer = answers.at(-1)?.searchParams;
    expect(answer?.get("state")).toBe("12345678901234567890");
    const got = await fetch(`${product.url}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: answer?.get("code") ?? "",
        client_id: clientId,
        redirect_uri: callback,
        code_verifier: verifier,
      }),
    });
    const granted = await got.json();
    expect(granted).toMatchObject({ scope: "countersign:read", token_type: "Bearer" });

    const row = page.getByTestId("connected-programs").getByTestId("row");
    await page.goto("/account");
    await row.getByText("not used yet").waitFor();
    const used = await fetch(`${product.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${granted.access_token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(used.status).toBe(200);
    await page.reload();
    await row.getByText("last used").waitFor();
    expect(await row.innerText()).toContain("See what you may see");
    expect(await row.innerText()).not.toContain("Ask for changes");
    await here.look("account-programs");
    await page.getByTestId("disconnect-program").click();
    await row.waitFor({ state: "detached" });

    // An invalid request of a program is reported to the person, who goes back by themselves.
    await page.goto(asks("countersign:read", { resource: "http://127.0.0.1:9/mcp" }));
    await page.getByTestId("consent-refused").waitFor();
  });

  test("is seen by administrators, who say whether others may register", async ({ visit, administrator }) => {
    const here = await visit(administrator);
    const { page } = here;
    await page.goto("/admin/programs");
    const box = page.getByLabel("Programs may register themselves");
    const enabled = async () => (await administrator.get<{ enabled: boolean }>("/api/oauth/registration")).enabled;
    await box.uncheck();
    await expect.poll(enabled).toBe(false);
    await here.look("programs");
    await page.reload();
    await page.locator("input[name=registration]:not(:checked)").waitFor();
    await box.check();
    await expect.poll(enabled).toBe(true);
  });
});
