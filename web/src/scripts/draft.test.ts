import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  dropHandover,
  firstDraft,
  keepBeside,
  keepDraft,
  keepHandover,
  loadBeside,
  loadDraft,
  parseDraft,
  putBeside,
  readHandover,
} from "./draft";
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

const other = (source: string) => ({ ...draft, source });
const sources = (drafts: { source: string }[]) => drafts.map(({ source }) => source);

describe("Scripts beside the one in the editor", () => {
  beforeEach(() => localStorage.clear());
  test("are kept for their person and their place, until they are forgotten", () => {
    keepBeside("ada", script, [draft]);
    expect(loadBeside("ada", script)).toEqual([draft]);
    expect(loadBeside("grace", script)).toEqual([]);
    expect(loadBeside("ada", shell)).toEqual([]);
    keepBeside("ada", script, []);
    expect(loadBeside("ada", script)).toEqual([]);
    expect(localStorage.length).toBe(0);
  });

  test("that cannot be read are none", () => {
    for (const kept of ["{", "7", "null", '[{"source":1}]']) {
      localStorage.setItem("countersign.script.beside.ada.healthcheck-script", kept);
      expect(loadBeside("ada", script)).toEqual([]);
    }
  });

  test("are each there once, and none is the one in the editor", () => {
    const first = putBeside(other("theirs"), draft, []);
    expect(sources(first)).toEqual(["mine"]);
    expect(sources(putBeside(other("newer"), other("theirs"), first))).toEqual(["theirs", "mine"]);
    expect(sources(putBeside(draft, other("theirs"), first))).toEqual(["theirs"]);
    expect(putBeside(draft, draft, [])).toEqual([]);
    let many: ReturnType<typeof putBeside> = [];
    for (let n = 0; n < 9; n++) many = putBeside(draft, other(String(n)), many);
    expect(sources(many)).toEqual(["8", "7", "6", "5", "4"]);
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
