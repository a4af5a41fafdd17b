import * as newest from "@modelcontextprotocol/client";
import { UnauthorizedError, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { describe, expect } from "vitest";
import { Installation } from "../stack/installation";
import type { Person } from "../stack/person";
import { Consent, endpointOf } from "./consent";
import { test as base } from "./test";

class Browser extends Consent<OAuthClientInformationMixed, OAuthTokens> implements OAuthClientProvider {}
class NewestBrowser
  extends Consent<newest.StoredOAuthClientInformation, newest.StoredOAuthTokens>
  implements newest.OAuthClientProvider {}

/** An installation of its own, in whose database registrations are forgotten. */
const test = base.extend<{ site: { person: Person; forget: () => Promise<unknown> } }>({
  // oxlint-disable-next-line no-empty-pattern
  site: async ({}, use) => {
    const installation = await Installation.create();
    const person = await installation.administrator(await installation.start("all"));
    await use({ person, forget: () => installation.query("DELETE FROM oauth_clients") });
    await installation.stop();
  },
});

describe("A client whose registration was forgotten", () => {
  test("registers and connects again by itself with either stock library", async ({ site: { person, forget } }) => {
    const address = endpointOf(person);
    const browser = new Browser(person, "Forgotten client");
    const transport = () => new StreamableHTTPClientTransport(address, { authProvider: browser });
    /** Connects and closes again: a client that listens would sign in by itself when it is forgotten. */
    const connect = async () => {
      const client = new Client({ name: "stock", version: "1" });
      await client.connect(transport());
      await client.close();
    };
    const signIn = async () => {
      await expect(connect()).rejects.toBeInstanceOf(UnauthorizedError);
      await transport().finishAuth(browser.answer.get("code") ?? "");
      await connect();
    };
    await signIn();
    const first = browser.clientInformation()?.client_id;
    await forget();
    browser.answer = new URLSearchParams();
    await signIn();
    expect(browser.registrations).toBe(2);
    expect(browser.clientInformation()?.client_id).not.toBe(first);

    const newBrowser = new NewestBrowser(person, "Forgotten newest client");
    const newTransport = () => new newest.StreamableHTTPClientTransport(address, { authProvider: newBrowser });
    const newConnect = async () => {
      const client = new newest.Client({ name: "stock", version: "2" });
      await client.connect(newTransport());
      await client.close();
    };
    const newSignIn = async () => {
      await expect(newConnect()).rejects.toBeInstanceOf(newest.UnauthorizedError);
      await newTransport().finishAuth(newBrowser.answer);
      await newConnect();
    };
    await newSignIn();
    await forget();
    await newSignIn();
    expect(newBrowser.registrations).toBe(2);
  });
});
