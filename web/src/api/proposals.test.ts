import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { proposalsQuery } from "./proposals";

it("reads what waits to the end, also behind pages that hold nothing", async () => {
  const pages = [
    { proposals: [{ proposalId: "p1" }], nextCursor: "a" },
    { proposals: [], nextCursor: "b" },
    { proposals: [{ proposalId: "p2" }] },
  ];
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { searchParams } = new URL(request.url);
    asked.push(searchParams.get("cursor"));
    return Response.json(pages[asked.length - 1]);
  });
  const list = await new QueryClient().fetchQuery(proposalsQuery("proposed"));
  expect(list.map((proposal) => proposal.proposalId)).toEqual(["p1", "p2"]);
  expect(asked).toEqual([null, "a", "b"]);
});
