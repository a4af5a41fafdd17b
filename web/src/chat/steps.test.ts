import { describe, expect, it } from "vitest";
import type { Block, ToolCall } from "./outline";
import { sideBySide, took, totalOf, withSteps, type StepsBlock, type ToolBlock } from "./steps";

const begun = Date.parse("2026-11-23T10:00:00Z");

function call(id: string, from?: number, tookMs?: number): ToolCall {
  const timing = from === undefined ? undefined : { startedAt: new Date(begun + from).toISOString(), tookMs };
  return { id, name: "catalog.listSystems", state: "done", input: {}, ...(timing && { timing }) };
}

const tool = (id: string, from?: number, tookMs?: number): ToolBlock => ({
  kind: "tool",
  key: id,
  call: call(id, from, tookMs),
});
const text = (key: string): Block => ({ kind: "text", key, text: "x", streaming: false });
const thoughts = (key: string): Extract<Block, { kind: "reasoning" }> => ({
  kind: "reasoning",
  key,
  text: "x",
  streaming: false,
});

const shape = (blocks: (Block | StepsBlock)[]) =>
  withSteps(blocks as Block[]).map((block) =>
    block.kind === "steps" ? block.steps.map(({ key }) => key) : (block as Block).key,
  );

describe("withSteps", () => {
  it("puts calls together that follow each other, and the thoughts between them", () => {
    expect(shape([tool("a"), tool("b"), text("1"), tool("c")])).toEqual([["a", "b"], "1", ["c"]]);
    expect(
      shape([thoughts("t"), tool("a"), thoughts("u"), thoughts("v"), tool("b"), thoughts("w"), text("1")]),
    ).toEqual(["t", ["a", "u", "v", "b"], "w", "1"]);
  });

  it("loses nothing that comes last", () => {
    expect(shape([tool("a"), thoughts("t")])).toEqual([["a"], "t"]);
    expect(shape([])).toEqual([]);
  });
});

describe("the time of steps", () => {
  it("counts once what went on at the same time, and not what was between", () => {
    expect(totalOf([call("a", 0, 400), call("b", 100, 500), call("c", 10_000, 50), call("d")])).toBe(650);
    expect(totalOf([call("a", 100, 100), call("b", 0, 400)])).toBe(400);
    expect(totalOf([call("a")])).toBeNull();
  });

  it("tells which steps went on at the same time", () => {
    const runs = sideBySide([
      tool("a", 0, 300),
      tool("b", 10, 20),
      tool("c", 250, 10),
      thoughts("t"),
      tool("d", 300, 10),
      tool("e", 310, 10),
      tool("f", 400, 0),
      tool("g", 400, 0),
      tool("h"),
    ]);
    expect(runs.map((run) => run.map(({ key }) => key))).toEqual([
      ["a", "b", "c"],
      ["t"],
      ["d"],
      ["e"],
      ["f", "g"],
      ["h"],
    ]);
  });

  it("is said as people say it", () => {
    expect([0, 49, 50, 412, 3_249, 59_949, 60_000, 125_900].map(took)).toEqual([
      "under 0.1 s",
      "under 0.1 s",
      "0.1 s",
      "0.4 s",
      "3.2 s",
      "59.9 s",
      "1 min 0 s",
      "2 min 5 s",
    ]);
  });
});
