import { describe, expect, it } from "vitest";
import { describeAction, describeTool, withoutToolNames } from "./verbs";

describe("describeTool", () => {
  it.each([
    ["ai.searchDocs", "running", "Searching the documentation…"],
    ["ai_searchDocs", "done", "Searched the documentation"],
    ["catalog.listSystems", "running", "Listing systems…"],
    ["catalog.listSystems", "done", "Listed systems"],
    ["catalog.getSystem", "error", "Could not get system"],
    ["catalog.createSystem", "running", "Preparing to create system…"],
    ["incident.list", "done", "Listed incident"],
    ["agent.order-desk.total-of-cart", "done", "Called “total of cart” of order-desk"],
    ["agent_order-desk_total-of-cart", "running", "Calling “order desk total of cart”…"],
    ["agent.list", "done", "Listed agents"],
    ["catalog.listSystems", "interrupted", "Stopped before it could list systems"],
  ] as const)("says %s %s as “%s”", (name, state, text) => {
    expect(describeTool(name, state)).toBe(text);
  });

  it("survives a name that follows no convention", () => {
    expect(describeTool("weird", "done")).toBe("Weird");
    expect(describeTool("", "error")).toBe("Could not ");
  });
});

describe("describeAction", () => {
  it.each([
    ["catalog.createSystem", "Create system"],
    ["catalog_deleteSystem", "Delete system"],
    ["healthcheck.propose", "Create a health check"],
    ["catalog.addSystemToGroup", "Add system to group"],
    ["ai.getDoc", "Read the documentation"],
    ["agent.order-desk.total-of-cart", "Call “total of cart” of order-desk"],
    ["http_request", "Send a request"],
  ])("names %s “%s”", (name, text) => {
    expect(describeAction(name)).toBe(text);
  });
});

describe("withoutToolNames", () => {
  it.each([
    ['There is no tool "ai_noTool".', "There is no tool “no tool”."],
    ["There is no tool ai_listDocs.", "There is no tool “browse the documentation”."],
    [
      "Call `catalog.listSystems` first, then catalog_createSystem.",
      "Call “list systems” first, then “create system”.",
    ],
    [
      "The page docs/no_page of payments.example.com is not there.",
      "The page docs/no_page of payments.example.com is not there.",
    ],
  ])("says %s in people's words", (text, said) => {
    expect(withoutToolNames(text)).toBe(said);
  });
});
