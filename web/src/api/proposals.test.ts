import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { afterDecision, proposalsQuery } from "./proposals";

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

it("reads anew what was fetched ahead of a decision, when it is opened after it", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000 } } });
  const read = async (queryKey: string[], queryFn: () => string) => client.fetchQuery({ queryKey, queryFn });
  const ended = ["proposal", "p1"];
  for (const queryKey of [["agents", "revisions", "a1"], ended]) await read(queryKey, () => "before");
  afterDecision(client);
  expect(await read(["agents", "revisions", "a1"], () => "after")).toBe("after");
  expect(await read(ended, () => "after")).toBe("before");
});
