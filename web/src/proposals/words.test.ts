import { describe, expect, it } from "vitest";
import { decisionWords, planWords } from "./decisionwords";
import { differences, effectWords, stepsOf } from "./fieldlabels";
import { resultOf, targetOf } from "./places";

describe("decisionWords", () => {
  it.each([
    ["catalog.deleteSystem", {}, "Delete system"],
    ["healthcheck.propose", {}, "Create health check"],
    ["healthcheck.setPaused", { paused: true }, "Pause health check"],
    ["healthcheck.setPaused", { paused: false }, "Resume health check"],
    ["catalog.setSystemOwner", { teamId: null }, "Remove owner"],
    ["ai.saveMemory", { replaces: "m1" }, "Change memory"],
    ["http.request", {}, "Send request"],
    ["agent.order-desk.total", {}, "Call “total” of order-desk"],
  ])("says of %s with %j “%s”", (toolName, payload, words) => {
    expect(decisionWords({ toolName, payload })).toBe(words);
  });
});

describe("planWords", () => {
  const group = { toolName: "catalog.createGroup", payload: {} };
  const system = { toolName: "catalog.deleteSystem", payload: {} };
  it.each([
    [[group, group, group], 3, "Create 3 groups"],
    [[group, system], 2, "Apply all 2 in order"],
    [[group, system], 3, "Apply the other 2 in order"],
    [[system], 3, "Delete system"],
    [
      [
        { toolName: "catalog.setSystemOwner", payload: {} },
        { toolName: "catalog.setSystemOwner", payload: {} },
      ],
      2,
      "Apply all 2 in order",
    ],
  ])("says of %j, of %i in all, “%s”", (open, all, words) => {
    expect(planWords(open, all)).toBe(words);
  });
});

describe("stepsOf", () => {
  it.each([
    ["name", ["name"]],
    ["tags[2]", ["tags", 2]],
    ['metadata["on \\"call\\" [x]"].a', ["metadata", 'on "call" [x]', "a"]],
  ])("takes %s apart", (path, steps) => {
    expect(stepsOf(path)).toEqual(steps);
  });
});

const rows = (changes: Parameters<typeof differences>[0]) =>
  differences(changes, "catalog.updateSystem").map(({ label, before, after }) => [label, before, after]);

describe("differences", () => {
  it("names fields as people do, and what people have named as they did", () => {
    expect(
      rows([
        { path: "ownerTeamId", before: null, after: "Platform" },
        { path: "metadata.teamId", before: "a", after: "b" },
      ]),
    ).toEqual([
      ["Owner team", null, "Platform"],
      ["Metadata, teamId", "a", "b"],
    ]);
  });

  it("shows of a list what goes and what comes, wherever it stands", () => {
    expect(
      rows([
        { path: "tags[0]", before: "a", after: "x" },
        { path: "tags[1]", before: "b", after: "a" },
        { path: "tags[2]", before: "c", after: "b" },
      ]),
    ).toEqual([["Tags", "c", "x"]]);
  });

  it("shows a list whole that only changes its order, and what stands in it twice", () => {
    expect(
      rows([
        { path: "tags[0]", before: "a", after: "b" },
        { path: "tags[1]", before: "b", after: "a" },
      ]),
    ).toEqual([["Tags", "a, b", "b, a"]]);
    expect(rows([{ path: "tags[1]", before: null, after: "a" }])).toEqual([["Tags", "", "a"]]);
  });

  it("shows the members of a set by their names", () => {
    expect(
      rows([
        { path: "owners.Platform", before: true, after: null },
        { path: 'owners["Data & Search"]', before: null, after: true },
      ]),
    ).toEqual([["Owners", "Platform", "Data & Search"]]);
  });

  it("keeps what is no member of a set apart", () => {
    expect(rows([{ path: "fields.active", before: null, after: true }])).toEqual([["Fields, active", null, true]]);
  });
});

describe("a place", () => {
  it("is what a change is about, and then what it has made", () => {
    const made = { toolName: "catalog.createSystem", payload: { name: "Ledger" } };
    expect(targetOf(made)).toBeNull();
    expect(resultOf({ ...made, result: { system: { id: "s1", name: "Ledger" } } })).toEqual({
      kind: "system",
      id: "s1",
      name: "Ledger",
    });
    expect(resultOf({ ...made, result: undefined })).toBeNull();
  });

  it("is not what is gone", () => {
    const gone = { toolName: "catalog.deleteGroup", payload: { id: "g1" }, labels: { g1: "Shop" } };
    expect(targetOf(gone)).toEqual({ kind: "group", id: "g1", name: "Shop" });
    expect(resultOf({ ...gone, result: { deleted: true } })).toBeNull();
  });

  it("is what access is given to, also when all of it is taken away", () => {
    const payload = { objectType: "catalog.system", objectId: "s1" };
    const system = { kind: "system", id: "s1", name: "Ledger" };
    for (const toolName of ["auth.setGrants", "auth.deleteGrants"]) {
      expect(targetOf({ toolName, payload, labels: { s1: "Ledger" } })).toEqual(system);
      expect(resultOf({ toolName, payload, labels: { s1: "Ledger" }, result: {} })).toEqual(system);
    }
    expect(targetOf({ toolName: "auth.setGrants", payload: { objectType: "other", objectId: "s1" } })).toBeNull();
  });

  it("is none for tools that people have written, whatever their arguments look like", () => {
    expect(targetOf({ toolName: "agent.a.deleteSystem", payload: { id: "s1" } })).toBeNull();
  });
});

describe("effectWords", () => {
  it.each([
    ["This takes something away: twoPerson.", "This takes something away: Second person."],
    ["This takes something away: tags, ownerTeamId and more.", "This takes something away: Tags, Owner team and more."],
    ["It removes the system.", "It removes the system."],
  ])("of “%s”", (why, words) => {
    expect(effectWords(why, "ai.setPolicy")).toBe(words);
  });
});
