import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import type { Change } from "./connection";
import { readAgain } from "./follow";

/** Queries on the screen that are read again after some changes. */
async function read(changes: Change[]): Promise<string[]> {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const again: string[] = [];
  const keys: [string[], unknown?][] = [
    [["conversations"], { pages: [{}] }],
    [["archived-conversations"], { pages: [{}, {}, {}, {}, {}] }],
    [["conversation", "c1"]],
    [["conversation", "c2"]],
    [["proposal", "p1"], { status: "proposed" }],
    [["proposal", "p2"], { status: "applied" }],
    [["proposals", "proposed"]],
    [["plan", "t1"]],
    [["catalog", "systems", ""]],
    [["catalog", "system", "s1"]],
    [["catalog", "system", "s2"]],
    [["catalog", "teams"]],
    [["memories", ""]],
    [["skills", "list"]],
    [["me"]],
    [["policies"]],
  ];
  const stops = keys.map(([queryKey, data = {}]) => {
    client.setQueryData(queryKey, data);
    const queryFn = () => {
      again.push(queryKey.join(" ").trim());
      return data;
    };
    return new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {});
  });
  readAgain(client, changes);
  await new Promise((resolve) => setTimeout(resolve));
  for (const stop of stops) stop();
  return again;
}

it.each<[Change, string[]]>([
  [{ kind: "conversation", id: "c1" }, ["conversations", "conversation c1"]],
  [{ kind: "proposal", id: "p1" }, ["proposal p1", "proposals proposed", "plan t1", "policies"]],
  [{ kind: "proposal", id: "p2" }, ["proposals proposed", "plan t1", "policies"]],
  [{ kind: "record", type: "catalog.system", id: "s1" }, ["catalog systems", "catalog system s1"]],
  [
    { kind: "record", type: "auth.team", id: "x" },
    ["catalog systems", "catalog system s1", "catalog system s2", "catalog teams"],
  ],
  [{ kind: "record", type: "ai.memory", id: "x" }, ["memories"]],
  [{ kind: "record", type: "ai.skill", id: "x" }, ["skills list"]],
  [{ kind: "record", type: "something.new", id: "x" }, []],
])("reads again what %j is about, and nothing else", async (change, expected) => {
  expect(await read([change])).toEqual(expected);
});

it("reads everything again after a reset but what has come to its end and what is no part of it", async () => {
  const again = await read([{ kind: "reset" }]);
  expect(again).toHaveLength(13);
  expect(again).not.toContain("proposal p2");
  expect(again).not.toContain("archived-conversations");
  expect(again).not.toContain("me");
});

it("leaves records as they are while a form is open", async () => {
  document.body.innerHTML = "<main><form></form></main>";
  expect(await read([{ kind: "record", type: "catalog.system", id: "s1" }])).toEqual([]);
  expect(await read([{ kind: "proposal", id: "p1" }])).toHaveLength(4);
  document.body.innerHTML = "";
});
