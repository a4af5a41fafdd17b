import createClient, { type Middleware } from "openapi-fetch";
import { observeServerDate } from "./clock";
import { personHeader, presence } from "./presence";
import { online, parseProblem } from "./problem";
import { reach } from "./reach";
import { underWay } from "./underway";
import type { components, paths } from "./schema";

/** A type of the API, by its name in the OpenAPI document. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** Signing in and out needs no particular person. */
const isForAnybody = (path: string) => path === "/api/auth/login" || path === "/api/auth/logout";

const naming: Middleware = {
  onRequest({ request, schemaPath }) {
    const person = presence.person();
    if (person && !isForAnybody(schemaPath)) request.headers.set(personHeader, person.id);
  },
};

const reading: Middleware = {
  async onResponse({ response }) {
    observeServerDate(response.headers.get("date"));
    if (!response.ok) throw parseProblem(response.status, await response.text());
  },
};

/** Calls of the API by method and path, as the OpenAPI document describes them. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  credentials: "same-origin",
  headers: { accept: "application/json" },
  fetch: (request) => {
    if (isForAnybody(new URL(request.url).pathname)) return reach.send(request);
    const send = () => presence.send(() => reach.send(request.clone()), request.signal);
    return request.method === "GET" ? send() : underWay(send);
  },
});
api.use(naming, reading);

/**
 * Unwraps the answer of a call. Throws a Problem when the server refuses it, ConnectionLost without an answer, and
 * Proposed when a policy requires a decision first.
 */
export async function answer<Data>(call: Promise<{ data?: Data }>): Promise<Exclude<Data, ProposedWrite>> {
  const { data } = await online(() => call);
  if (isProposedWrite(data)) throw new Proposed(data);
  return data as Exclude<Data, ProposedWrite>;
}

/** All that a list holds. call asks for a page of it, and items are those of an answer. */
export async function everyPage<Page extends { nextCursor?: string }, Item>(
  call: (query: { limit: number; cursor?: string }) => Promise<Page>,
  items: (page: Page) => Item[],
): Promise<Item[]> {
  // The most that the server lists at once.
  const limit = 500;
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await call({ limit, cursor });
    all.push(...items(page));
    cursor = page.nextCursor;
  } while (cursor);
  return all;
}

/** The answer to a write that waits for a decision. */
export type ProposedWrite = Schema<"ApiProposedWrite">;

/** A write that has become a proposal: nothing has changed yet. */
export class Proposed extends Error {
  constructor(readonly write: ProposedWrite) {
    super(write.detail);
    this.name = "Proposed";
  }
}

function isProposedWrite(data: unknown): data is ProposedWrite {
  return typeof data === "object" && data !== null && "proposalId" in data && "link" in data;
}

/** The header of a write. Repeating it with the same key returns the first answer. */
export const once = (idempotencyKey: string) => ({ "Idempotency-Key": idempotencyKey });

/** The header of a change of what the caller has seen in this revision. */
export const seen = ({ revision }: { revision: number }) => ({ "If-Match": `"${revision}"` });

/** The parameters of a change of a record. */
export const of = (record: { id: string; revision: number }, idempotencyKey: string) => ({
  path: { id: record.id },
  header: { ...seen(record), ...once(idempotencyKey) },
});

/** A random identifier. Also works on plain HTTP, where randomUUID is missing. */
export function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
