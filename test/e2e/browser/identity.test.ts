import { createHash, createSign, generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installation } from "../stack/installation";
import { launch } from "./browser";
import { Visit } from "./visit";

/** An OpenID Connect provider at which everybody is Ada, with these groups. */
let provider: Server;
let issuer: string;
let groups: string[] = [];
let installation: Installation;
let browser: Browser;
let product: string;

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function idToken(claims: Record<string, unknown>): string {
  const signed = `${part({ alg: "RS256", kid: "one" })}.${part(claims)}`;
  return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey).toString("base64url")}`;
}

const asked = new Map<string, URLSearchParams>();

function answer(path: string, query: URLSearchParams, body: URLSearchParams): [number, unknown, string?] {
  switch (path) {
    case "/.well-known/openid-configuration":
      return [
        200,
        {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
        },
      ];
    case "/keys":
      return [200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" }] }];
    case "/authorize": {
      const code = randomUUID();
      asked.set(code, query);
      return [
        302,
        {},
        `${query.get("redirect_uri")}?${new URLSearchParams({ code, state: query.get("state") ?? "" })}`,
      ];
    }
    case "/token": {
      const request = asked.get(body.get("code") ?? "");
      const digest = createHash("sha256")
        .update(body.get("code_verifier") ?? "")
        .digest("base64url");
      if (request?.get("code_challenge") !== digest) return [400, { error: "invalid_grant" }];
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuer,
        aud: "countersign",
        sub: "ada",
        iat: now,
        exp: now + 60,
        nonce: request.get("nonce"),
        name: "Ada Lovelace",
        email: "ada@example.org",
        email_verified: true,
        groups,
      };
      return [200, { access_token: "opaque", token_type: "Bearer", id_token: idToken(claims) }];
    }
    default:
      return [404, {}];
  }
}

beforeAll(async () => {
  provider = createServer((request, response) => {
    const at = new URL(request.url ?? "/", issuer);
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const [status, document, location] = answer(at.pathname, at.searchParams, new URLSearchParams(body));
      response.writeHead(status, { "Content-Type": "application/json", ...(location && { Location: location }) });
      response.end(JSON.stringify(document));
    });
  });
  await new Promise<void>((listening) => provider.listen(0, "127.0.0.1", listening));
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  installation = await Installation.create({
    COUNTERSIGN_OIDC_ISSUER: issuer,
    COUNTERSIGN_OIDC_CLIENT_ID: "countersign",
    COUNTERSIGN_OIDC_CLIENT_SECRET: "s3cret",
    COUNTERSIGN_OIDC_NAME: "Example login",
    COUNTERSIGN_OIDC_GROUPS: "staff",
    COUNTERSIGN_OIDC_ROLES: "sre=admin",
  });
  const { url } = await installation.start("all");
  // The provider sends browsers back to the address that the product names itself.
  product = url.replace("127.0.0.1", "localhost");
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  await installation?.stop();
  provider?.close();
});

describe("Somebody without a password here", () => {
  test("signs in at the identity provider, and is told why not", async () => {
    const visit = await Visit.begin(browser, product);
    visit.expects(/401|request off the origin: http:\/\/127\.0\.0\.1/);
    const { page } = visit;
    await page.goto("/catalog/systems");
    await page.getByTestId("sign-in-provider").click();
    await page.getByTestId("sign-in-failed").waitFor();
    expect(await page.getByTestId("sign-in-failed").innerText()).toContain("None of your groups");
    await visit.look("sign-in-failed");

    groups = ["staff", "sre"];
    await page.getByTestId("sign-in-provider").click();
    await page.waitForURL(/catalog\/systems/);
    await page.goto("/account");
    const account = page.getByTestId("account-page");
    await account.getByText("Ada Lovelace").waitFor();
    await account.getByText("admin", { exact: true }).waitFor();
    expect(visit.problems()).toEqual([]);
    await visit.end();
  });
});
