import { beforeEach, describe, expect, it } from "vitest";
import type { Check, Kinds } from "../../api/health";
import { destinationsOf } from "../destinations";
import { changeOf, definitionOf, draftOf, keepDraft, keptDraft, merged, newCheckOf } from "./draft";

const kinds: Kinds = {
  operators: {},
  strategies: [
    {
      id: "healthcheck-http.http",
      name: "HTTP",
      description: "",
      version: 1,
      configSchema: {},
      collectors: [
        {
          id: "healthcheck-http.request",
          name: "Request",
          description: "",
          version: 1,
          configSchema: {},
          resultSchema: {},
          defaultAssertions: [{ field: "statusCode", operator: "between", value: [200, 299] }],
        },
      ],
    },
  ],
};
const check: Check = {
  id: "c",
  name: "Homepage",
  description: "",
  strategyId: "healthcheck-http.http",
  config: {},
  intervalSeconds: 60,
  collectors: [{ id: "k", collectorId: "healthcheck-http.request", config: { url: "https://a" }, assertions: [] }],
  keptFields: ["k.statusCode", "gone.statusCode"],
  paused: false,
  secrets: [],
  systems: 0,
  access: "owner",
  revision: 1,
  createdAt: "",
  updatedAt: "",
};

describe("A draft of a check", () => {
  it("begins with the first kind and its first collector", () => {
    const draft = draftOf(undefined, kinds);
    expect(draft.collectors).toMatchObject([
      {
        collectorId: "healthcheck-http.request",
        config: {},
        assertions: [{ field: "statusCode", operator: "between", value: [200, 299] }],
      },
    ]);
    expect(newCheckOf({ ...draft, name: "x" }, "s")).toMatchObject({
      name: "x",
      assignToSystemId: "s",
      intervalSeconds: 60,
    });
    expect(newCheckOf(draft, "")).not.toHaveProperty("assignToSystemId");
  });

  it("leaves assertions to be chosen where any value would pass", () => {
    const [strategy] = kinds.strategies;
    const [request] = strategy?.collectors ?? [];
    if (!strategy || !request) throw new Error("There is no kind.");
    const query = { ...request, id: "query", defaultAssertions: [], needsAssertions: "say what the value has to be" };
    const all: Kinds = { ...kinds, strategies: [{ ...strategy, collectors: [query] }] };
    expect(draftOf(undefined, all).collectors[0]).not.toHaveProperty("assertions");
    // None of a stored check are left out too, and chosen by an empty list.
    const stored: Check = { ...check, collectors: [{ id: "k", collectorId: "query", config: {}, assertions: [] }] };
    const draft = draftOf(stored, all);
    expect(draft.collectors[0]).not.toHaveProperty("assertions");
    expect(changeOf(draft, stored, all)).not.toHaveProperty("collectors");
    const none = draft.collectors.map((collector) => ({ ...collector, assertions: [] }));
    expect(changeOf({ ...draft, collectors: none }, stored, all).collectors).toMatchObject([{ assertions: [] }]);
  });

  it("sends only what was changed", () => {
    const draft = draftOf(check, kinds);
    expect(changeOf({ ...draft, name: "Start page", interval: "30" }, check, kinds)).toEqual({
      name: "Start page",
      intervalSeconds: 30,
      // Fields of a collector that is gone are kept no more.
      keptFields: ["k.statusCode"],
    });
    expect(definitionOf({ ...draft, interval: "often" }).intervalSeconds).toBe(0);
  });

  it("has locations, and a rule only with them", () => {
    const draft = draftOf(check, kinds);
    expect(definitionOf(draft)).not.toHaveProperty("locationRule");
    expect(changeOf({ ...draft, locations: ["main", "Oregon"], locationRule: "any" }, check, kinds)).toMatchObject({
      locations: ["main", "Oregon"],
      locationRule: "any",
    });
    const located: Check = { ...check, locations: ["main", "Oregon"], locationRule: "any" };
    const change = changeOf({ ...draftOf(located, kinds), locations: [] }, located, kinds);
    expect(change.locations).toEqual([]);
    expect(change).not.toHaveProperty("locationRule");
  });

  it("follows what somebody else has saved, but for what was typed", () => {
    const began = draftOf(check, kinds);
    const mine = { ...began, name: "Mine", interval: "30" };
    const theirs = { ...began, name: "Theirs", description: "More" };
    expect(merged(mine, began, theirs)).toEqual({
      draft: { ...began, name: "Mine", description: "More", interval: "30" },
      both: [{ key: "name", label: "Name", mine: "Mine", theirs: theirs.name }],
    });
  });

  describe("that is kept", () => {
    beforeEach(() => sessionStorage.clear());

    it("is there again for the same person and check only", () => {
      const draft = draftOf(check, kinds);
      keepDraft("ada", "c", draft);
      expect(keptDraft("ada", "c")).toEqual(draft);
      expect(keptDraft("joan", "c")).toBeNull();
      keepDraft("ada", "c", null);
      expect(keptDraft("ada", "c")).toBeNull();
    });

    it("is not taken when it is something else", () => {
      sessionStorage.setItem("countersign.check.ada.c", '{"name":1}');
      expect(keptDraft("ada", "c")).toBeNull();
    });
  });
});

it("A check says where it goes and with which secrets", () => {
  expect(
    destinationsOf({
      config: { host: "db.example.com", port: 5432, password: "${{ secrets.DB_PASSWORD }}" },
      collectors: [
        {
          collectorId: "x",
          config: { url: "https://a/{{ environment.id }}", headers: [{ value: "${{secrets.TOKEN}}" }] },
        },
      ],
    }),
  ).toEqual({ where: ["db.example.com:5432", "https://a/{{ environment.id }}"], secrets: ["DB_PASSWORD", "TOKEN"] });
});
