import { describe, expect, it } from "vitest";
import type { ToolCall } from "./outline";
import { sourceOf } from "./sources";

const call = (changes: Partial<ToolCall>): ToolCall => ({
  id: "1",
  name: "ai_getDoc",
  state: "done",
  input: {},
  output: { title: "Plans", link: "/docs/concepts/plans#decide" },
  ...changes,
});

describe("sourceOf", () => {
  it("is the page that was read, with its section", () => {
    expect(sourceOf(call({}))).toEqual({ title: "Plans", link: "/docs/concepts/plans#decide" });
    expect(sourceOf(call({ name: "ai.getDoc" }))?.title).toBe("Plans");
    expect(sourceOf(call({ input: { section: "Decide" } }))?.title).toBe("Plans: Decide");
  });

  it("is nothing for other calls, and for links that lead elsewhere", () => {
    expect(sourceOf(call({ name: "ai_searchDocs" }))).toBeNull();
    expect(sourceOf(call({ state: "running", output: undefined }))).toBeNull();
    expect(sourceOf(call({ output: { title: "Plans", link: "https://example.com/docs/" } }))).toBeNull();
    expect(sourceOf(call({ output: "cut" }))).toBeNull();
  });
});
