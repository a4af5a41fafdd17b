import { describe, expect, it } from "vitest";
import { decideNewChatAction } from "./newchat";

describe("decideNewChatAction", () => {
  it("reuses an empty untitled draft", () => {
    expect(decideNewChatAction({ title: null }, 0)).toBe("reuse");
  });

  it.each([
    ["nothing is open", undefined, 0],
    ["the open chat has messages", { title: null }, 1],
    ["the open chat was named", { title: "Outage" }, 0],
  ])("creates a conversation when %s", (_, current, messages) => {
    expect(decideNewChatAction(current, messages)).toBe("create");
  });
});
