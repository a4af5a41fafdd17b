import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import type { Proposal } from "../api/proposals";
import { inboxPages, isAmong } from "./inbox";

const person = (id: string) => ({ kind: "user", id, name: id }) as const;
const proposal = (changes: Partial<Proposal>) =>
  ({ status: "proposed", proposer: person("me"), ...changes }) as Proposal;

it.each([
  ["toDecide", proposal({}), true],
  ["toDecide", proposal({ proposer: person("other") }), true],
  ["toDecide", proposal({ blocked: "A second person has to apply this." }), false],
  ["toDecide", proposal({ status: "applied" }), false],
  ["mine", proposal({ status: "expired" }), true],
  ["mine", proposal({ proposer: person("other") }), false],
  ["decided", proposal({ status: "declined", decidedBy: person("me") }), true],
  ["decided", proposal({ status: "declined", decidedBy: person("other") }), false],
] as const)("the filter %s takes %j: %s", (whose, one, is) => {
  expect(isAmong(one, whose, "me")).toBe(is);
});

it("finds those of somebody behind those of others, within so many pages", async () => {
  let asked = 0;
  vi.stubGlobal("fetch", async () => {
    asked++;
    const mine = asked === 3;
    return Response.json({
      proposals: [proposal({ proposalId: `p${asked}`, status: "applied", proposer: person(mine ? "me" : "other") })],
      nextCursor: "more",
    });
  });
  const { pages } = await new QueryClient().fetchInfiniteQuery(inboxPages({ status: "all", whose: "mine" }, "me"));
  expect(pages.map((page) => page.proposals.map(({ proposalId }) => proposalId))).toEqual([["p3"]]);
  expect(asked).toBe(5);
});

it("goes on with older ones where it has stopped, to the last", async () => {
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { searchParams } = new URL(request.url);
    asked.push(searchParams.get("cursor"));
    const newest = searchParams.get("cursor") === null;
    const proposals = Array.from({ length: newest ? 50 : 2 }, (_, at) =>
      proposal({ proposalId: `${newest ? "new" : "old"}${at}`, status: "applied" }),
    );
    return Response.json({ proposals, ...(newest && { nextCursor: "older" }) });
  });
  const { pages } = await new QueryClient().fetchInfiniteQuery({
    ...inboxPages({ status: "applied" }, "me"),
    pages: 3,
  });
  expect(pages.map((page) => page.proposals.length)).toEqual([50, 2]);
  expect(asked).toEqual([null, "older"]);
});

const card = (proposalId: string, summary: string) =>
  proposal({ proposalId, summary, toolName: "catalog.createSystem", proposer: person("Ada") });

it("has the server look for words, and goes on where it has stopped", async () => {
  const asked: Record<string, string>[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const params = Object.fromEntries(new URL(request.url).searchParams);
    asked.push(params);
    // Nothing fits among those that were looked through at once. A server of the version before answers with others.
    return Response.json(
      params.cursor
        ? { proposals: [card("old", "Create Payments"), card("other", "Create Orders")] }
        : { proposals: [], nextCursor: "older" },
    );
  });
  const { pages } = await new QueryClient().fetchInfiniteQuery(inboxPages({ status: "all", query: "pay ADA" }, "me"));
  expect(pages.flatMap((page) => page.proposals.map(({ proposalId }) => proposalId))).toEqual(["old"]);
  expect(asked).toEqual([
    { query: "pay ADA", limit: "50" },
    { query: "pay ADA", limit: "50", cursor: "older" },
  ]);
});
