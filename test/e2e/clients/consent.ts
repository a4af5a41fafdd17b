import { expect } from "vitest";
import type { Person } from "../stack/person";

/**
 * Stands in for the person's browser, for a client of either library: it opens the consent page and allows the request.
 */
export class Consent<Client, Tokens> {
  readonly redirectUrl = "http://127.0.0.1:51235/callback";
  readonly clientMetadata;
  /** Parameters that the browser returned after the last consent. */
  answer = new URLSearchParams();
  /** How often the client has registered itself. */
  registrations = 0;
  readonly #person: Person;
  #client?: Client;
  #tokens?: Tokens;
  #verifier = "";

  constructor(person: Person, name: string) {
    this.#person = person;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    };
  }

  clientInformation = () => this.#client;
  saveClientInformation = (client: Client) => void ((this.#client = client), this.registrations++);
  tokens = () => this.#tokens;
  saveTokens = (tokens: Tokens) => void (this.#tokens = tokens);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;

  /** Called by the libraries when the server no longer knows their client_id or tokens. */
  invalidateCredentials = (scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void => {
    if (scope === "all" || scope === "client") this.#client = undefined;
    if (scope === "all" || scope === "tokens") this.#tokens = undefined;
  };

  async redirectToAuthorization(address: URL): Promise<void> {
    const opened = await fetch(address, { redirect: "manual" });
    const page = new URL(opened.headers.get("location") ?? "", address);
    const decided = await this.#person.post<{ redirect: string }>("/api/oauth/decision", {
      request: page.searchParams.get("request"),
      allow: true,
    });
    this.answer = new URL(decided.redirect).searchParams;
  }
}

/** Where clients find the endpoint: they trust the metadata of the address only by which the product calls itself. */
export function endpointOf(person: Person): URL {
  return new URL("/mcp", person.base.replace("127.0.0.1", "localhost"));
}

/** Lets a program that is connected decide for the person who has connected it, as an administrator does. */
export async function trust(person: Person, name: string): Promise<void> {
  const { programs } = await person.get<{ programs: { programId: string; name: string }[] }>(
    "/api/oauth/programs?everybody=true",
  );
  const trusted = programs.filter((program) => program.name === name).map(({ programId }) => programId);
  expect(trusted).toHaveLength(1);
  await person.put("/api/mcp/policy", { trusted });
}

/** Outcome of a call of a changing tool. */
export interface Outcome {
  status: string;
  proposalId: string;
  confirmUrl: string;
  reason?: string;
  token?: string;
}

/** A client of either library, as far as it calls tools. */
interface Caller {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<object>;
}

export async function outcome(client: Caller, name: string, args: Record<string, unknown>): Promise<Outcome> {
  const result: { structuredContent?: unknown } = await client.callTool({ name, arguments: args });
  return result.structuredContent as Outcome;
}

/** The systems of this name. */
export async function systemsNamed(person: Person, name: string): Promise<{ id: string; name: string }[]> {
  const { systems } = await person.get<{ systems: { id: string; name: string }[] }>(
    `/api/catalog/systems?name=${encodeURIComponent(name)}`,
  );
  return systems;
}
