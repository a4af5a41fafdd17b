import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ChangeView } from "../proposals/ChangeView";
import { proposedToolOf } from "./proposedtool";

const payload = {
  agent: "a1",
  tool_id: "total-of-cart",
  description: "Adds the prices of a cart.",
  args_schema: {
    type: "object",
    required: ["prices"],
    properties: { prices: { type: "array", items: { type: "number" } } },
  },
  source: "export default { actions: {} };",
  effect: "mutate",
};

describe("A custom tool that is proposed", () => {
  it("is read by what it does, its arguments and its source", async () => {
    render(<ChangeView labels={{ a1: "Order desk" }} payload={payload} toolName="agent.proposeTool" />);
    const card = await screen.findByTestId("tool-payload");
    expect(card.textContent).toContain("in a draft of Order desk");
    expect(screen.getByTestId("arguments").textContent).toContain("list of numbers");
    expect(screen.getByTestId("script-source").textContent).toContain("export default");
    expect(card.textContent).toContain("Each call becomes a proposal");
  });

  it("is not what the arguments of somebody's own tool are, whatever they look like", () => {
    render(<ChangeView payload={payload} toolName="agent.order-desk.total-of-cart" />);
    expect(screen.getByTestId("payload").textContent).toContain("tool_id");
    expect(screen.queryByTestId("tool-payload")).toBeNull();
  });

  it("is only what has an id, a source and a schema", () => {
    expect(proposedToolOf(payload)).toMatchObject({ tool: "total-of-cart", effect: "mutate" });
    for (const other of [null, [], { ...payload, source: 1 }, { ...payload, args_schema: "{" }, { name: "x" }])
      expect(proposedToolOf(other)).toBeNull();
    expect(proposedToolOf({ ...payload, effect: "all" })).not.toHaveProperty("effect");
  });
});
