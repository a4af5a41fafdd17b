import { describe, expect, it } from "vitest";
import type { AgentTool, Bundle } from "../../api/agents";
import { changesBetween, list } from "./changes";

const tool = (id: string, change: Partial<AgentTool> = {}): AgentTool => ({
  id,
  description: "Does it.",
  args_schema: {},
  effect: "read",
  source: "source",
  source_sha256: "",
  capabilities: { secret_refs: [], dynamic_secret_refs: false, modules: [], actions: ["default"] },
  compiler: "",
  warnings: [],
  examples: [],
  ...change,
});
const bundle = (change: Partial<Bundle> = {}): Bundle => ({ agent_md: "", skills: [], tools: [], spec: {}, ...change });

describe("What becomes different by a promotion", () => {
  it("is everything for the first one", () => {
    expect(
      changesBetween(
        undefined,
        bundle({
          tools: [tool("a"), tool("b")],
          spec: { secrets: [{ name: "KEY", allowed_hosts: ["api.example.com"] }] },
        }),
      ),
    ).toEqual(["a and b become available as new tools.", "The secret KEY can be sent to api.example.com."]);
  });

  it("tells tools that come, change and go", () => {
    expect(
      changesBetween(
        bundle({ tools: [tool("gone"), tool("kept"), tool("other")] }),
        bundle({ tools: [tool("kept"), tool("other", { source: "new" }), tool("fresh")], agent_md: "Hello" }),
      ),
    ).toEqual([
      "fresh becomes available as a new tool.",
      "other gets new source code.",
      "gone is removed. Pending proposals for it are refused.",
      "Its instructions (agent.md) change.",
    ]);
  });

  it("tells when people are asked, or no longer asked", () => {
    const before = bundle({ tools: [tool("a"), tool("b", { effect: "mutate" }), tool("c")] });
    const after = bundle({
      tools: [tool("a", { effect: "mutate" }), tool("b"), tool("c")],
      spec: { tools: { c: { requires_approval: true } } },
    });
    expect(changesBetween(before, after)).toEqual(["a and c ask before each call.", "b runs without approval."]);
  });

  it("tells where secrets can go", () => {
    const of = (...hosts: string[]) => bundle({ spec: { secrets: [{ name: "KEY", allowed_hosts: hosts }] } });
    expect(changesBetween(of("a.example"), of("a.example", "b.example"))).toEqual([
      "The secret KEY can be sent to a.example, b.example, instead of a.example.",
    ]);
    expect(changesBetween(of("b", "a"), of("a", "b"))).toEqual([]);
    expect(changesBetween(of("a"), bundle())).toEqual(["KEY is a secret that it can no longer use."]);
  });
});

it("Names are listed as people do", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(list)).toEqual(["", "a", "a and b", "a, b and c"]);
});
