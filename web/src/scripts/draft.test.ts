import { beforeEach, describe, expect, test, vi } from "vitest";
import { dropHandover, firstDraft, keepDraft, keepHandover, loadDraft, parseDraft, readHandover } from "./draft";
import { places, placesOf, type Place } from "./places";

const [script, shell] = places as [Place, Place];
const draft = { ...firstDraft(script, "starter"), source: "mine" };

describe("A draft", () => {
  beforeEach(() => localStorage.clear());

  test("is kept for its person and its place", () => {
    keepDraft("ada", script, draft);
    expect(loadDraft("ada", script)).toEqual(draft);
    expect(loadDraft("grace", script)).toBeNull();
    expect(loadDraft("ada", shell)).toBeNull();
  });

  test("begins with the starter and inputs that can be sent", () => {
    const first = firstDraft(script, "starter");
    expect(first.source).toBe("starter");
    expect(JSON.parse(first.sample)).toHaveProperty("system.name");
    expect(JSON.parse(first.config)).toHaveProperty("url");
  });

  test.each(["", "null", "[]", "{", '{"source":1}', JSON.stringify({ ...draft, checkTypes: "yes" })])(
    "that reads %s is as if absent",
    (kept) => {
      expect(parseDraft(kept)).toBeNull();
    },
  );

  test("does without a storage that is blocked", () => {
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new Error("blocked");
    });
    vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
      throw new Error("blocked");
    });
    keepDraft("ada", script, draft);
    expect(loadDraft("ada", script)).toBeNull();
  });
});

test("A script on its way arrives once, at its own place", () => {
  keepHandover(script, { source: "theirs", sample: "{}" });
  expect(readHandover(shell)).toBeNull();
  expect(readHandover(script)).toEqual({ source: "theirs", sample: "{}" });
  dropHandover();
  expect(readHandover(script)).toBeNull();
  sessionStorage.setItem("countersign.script.handover", "{");
  expect(readHandover(script)).toBeNull();
});

const holding = (...rules: string[]) =>
  placesOf({
    kind: "user",
    id: "1",
    name: "Ada",
    email: "a@example.org",
    rules,
    teams: [],
    roles: [],
    mustChangePassword: false,
  }).map(({ id }) => id);

test("People are offered the places of what they manage", () => {
  expect(holding("automation.automation.manage")).toEqual(["automation-action-script", "automation-action-shell"]);
  expect(holding("healthcheck.healthcheck.manage")).toEqual(["healthcheck-script", "healthcheck-shell"]);
  expect(holding("*")).toHaveLength(4);
  expect(holding("catalog.system.read")).toEqual([]);
  expect(placesOf(undefined)).toEqual([]);
});
