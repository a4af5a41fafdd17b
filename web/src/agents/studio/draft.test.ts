import { beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentTool, ToolFields } from "../../api/agents";
import { checkedOf, draftOf, fieldsOf, idIssue, keepDraft, keptDraft, merged, parseObject } from "./draft";

const tool: AgentTool = {
  id: "add",
  description: "Adds.",
  args_schema: { type: "object", properties: { a: { type: "number" } } },
  effect: "read",
  source: "export default {}",
  source_sha256: "",
  capabilities: { secret_refs: [], dynamic_secret_refs: false, modules: [], actions: ["default"] },
  compiler: "",
  warnings: [],
  examples: [],
};

describe("A draft of a tool", () => {
  it("begins with the tool, and a new one with the example of the server", () => {
    expect(fieldsOf(draftOf(tool))).toEqual({
      description: "Adds.",
      args_schema: tool.args_schema,
      source: "export default {}",
      effect: "read",
    });
    expect(draftOf(undefined, "// example").source).toBe("// example");
    expect(fieldsOf(draftOf(undefined, "// example"))?.args_schema).toMatchObject({ required: ["city"] });
    expect(draftOf(undefined, "").source).toContain("satisfies CustomTool");
  });

  it("is not sent while its schema is no JSON object", () => {
    const draft = draftOf(tool);
    expect(fieldsOf({ ...draft, schema: "{" })).toBeNull();
    expect(parseObject("{").issue).toMatch(/^Not valid JSON: /);
    expect(parseObject("[]").issue).toMatch(/JSON object/);
    expect(parseObject("{}")).toEqual({ value: {} });
  });

  it("is checked also before it is described, and not while there is nothing", () => {
    const fields = fieldsOf({ ...draftOf(tool), description: "" });
    expect(checkedOf(fields)?.description).not.toBe("");
    expect(checkedOf({ ...(fields as ToolFields), source: "" })).toBeNull();
    expect(checkedOf(null)).toBeNull();
  });

  it("keeps what was typed over what somebody else has saved, and names what both have changed", () => {
    const began = draftOf(tool);
    const mine = { ...began, source: "mine", description: "Mine" };
    const theirs = { ...began, source: "theirs", effect: "mutate" as const };
    expect(merged(mine, began, theirs)).toEqual({
      draft: { ...mine, effect: "mutate" },
      both: [{ key: "source", path: "Source", before: "theirs", after: "mine" }],
    });
    // The same word of two people is no conflict.
    expect(merged(mine, began, { ...began, source: "mine" }).both).toEqual([]);
  });

  describe("that is kept", () => {
    beforeEach(() => localStorage.clear());
    const place = { agent: "a", rev: "r", tool: "add" };

    it("is there again for its person and its place only", () => {
      const draft = { ...draftOf(tool), source: "typed" };
      keepDraft("ada", place, draft);
      expect(keptDraft("ada", place)).toEqual(draft);
      expect(keptDraft("joan", place)).toBeNull();
      expect(keptDraft("ada", { ...place, rev: "other" })).toBeNull();
      keepDraft("ada", place, null);
      expect(keptDraft("ada", place)).toBeNull();
    });

    it.each(["", "null", "[]", "{", '{"source":1}', JSON.stringify({ ...draftOf(tool), effect: "all" })])(
      "and reads %s is as if absent",
      (kept) => {
        localStorage.setItem("countersign.tool.ada.a.r.add", kept);
        expect(keptDraft("ada", place)).toBeNull();
      },
    );

    it("does without a storage that is blocked", () => {
      vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
        throw new Error("blocked");
      });
      vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
        throw new Error("blocked");
      });
      keepDraft("ada", place, draftOf(tool));
      expect(keptDraft("ada", place)).toBeNull();
    });
  });
});

it("The id of a new tool is one that the server takes", () => {
  expect(["find-order", "a", "total_2"].map((id) => idIssue(id, []))).toEqual([undefined, undefined, undefined]);
  for (const id of ["", "-a", "a-", "Find", "a b", "ä", "a".repeat(65)]) expect(idIssue(id, [])).toMatch(/\.$/);
  expect(idIssue("add", ["add"])).toBe("This revision has a tool with this id.");
});
