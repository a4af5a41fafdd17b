import { beforeEach, describe, expect, test } from "vitest";
import { readHandover } from "./draft";
import { handOver } from "./handover";
import { scriptTestOf } from "./scripttest";
import { quietOutcome as outcome } from "./fixture";

const input = { context: "healthcheck-script", source: "return true;", config: { url: "u" }, timeoutMs: 2_500 };
const call = { name: "healthcheck.testScript", input, output: outcome };

describe("A tool call", () => {
  beforeEach(() => sessionStorage.clear());

  test.each(["healthcheck.testScript", "healthcheck_testScript"])("of %s is a test of a script", (name) => {
    expect(scriptTestOf({ ...call, name })).toMatchObject({
      place: { id: "healthcheck-script" },
      source: "return true;",
      outcome,
    });
  });

  test.each([
    ["of another tool", { ...call, name: "catalog.listSystems" }],
    ["that still runs", { ...call, output: undefined }],
    ["whose answer is another", { ...call, output: { durationMs: 1 } }],
    ["whose error is a text", { ...call, output: { ...outcome, error: "no" } }],
    ["without a script", { ...call, input: { context: "healthcheck-script" } }],
    ["about a place of another part", { ...call, input: { ...input, context: "automation-action-script" } }],
  ])("%s is none", (_, other) => {
    expect(scriptTestOf(other)).toBeNull();
  });

  test("is taken to the playground with what it was told", () => {
    const tested = scriptTestOf(call);
    if (!tested) throw new Error("not a test");
    handOver(tested);
    expect(readHandover(tested.place)).toEqual({
      source: "return true;",
      config: '{\n  "url": "u"\n}',
      timeout: "2.5",
    });
  });
});
