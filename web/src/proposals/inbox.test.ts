import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import type { Proposal } from "../api/proposals";
import { inboxQuery, isAmong } from "./inbox";

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
  const found = await new QueryClient().fetchQuery(inboxQuery("all", "mine", "me"));
  expect(found.map(({ proposalId }) => proposalId)).toEqual(["p3"]);
  expect(asked).toBe(5);
});
