import { describe, expect, it } from "vitest";
import { describeAction, describeTool } from "./verbs";

describe("describeTool", () => {
  it.each([
    ["ai.searchDocs", "running", "Searching the documentation…"],
    ["ai_searchDocs", "done", "Searched the documentation"],
    ["catalog.listSystems", "running", "Listing systems…"],
    ["catalog.listSystems", "done", "Listed systems"],
    ["catalog.getSystem", "error", "Could not get system"],
    ["catalog.createSystem", "running", "Preparing to create system…"],
    ["incident.list", "done", "Listed incident"],
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
    ["healthcheck.propose", "Propose healthcheck"],
    ["catalog.addSystemToGroup", "Add system to group"],
  ])("names %s “%s”", (name, text) => {
    expect(describeAction(name)).toBe(text);
  });
});
