import { describe, expect, it } from "vitest";
import { authorOf, deletionText, emptyText } from "./describe";
import { parseFilter } from "./filter";

describe("authorOf", () => {
  it("names the owner and whoever changed the words since", () => {
    expect(authorOf({ own: true, ownerName: "Ada" })).toBe("You");
    expect(authorOf({ own: false, ownerName: "Ada" })).toBe("Ada");
    expect(authorOf({ own: true, ownerName: "Ada", editorName: "Bob" })).toBe("You, last changed by Bob");
  });
});

describe("deletionText", () => {
  it("says whom a deletion concerns", () => {
    expect(deletionText({ scope: "user", own: true, ownerName: "Ada" })).toContain("for you");
    const shared = deletionText({ scope: "system", own: false, ownerName: "Ada", systemName: "Payments" });
    expect(shared).toContain("saved by Ada");
    expect(shared).toContain("may see Payments");
    expect(deletionText({ scope: "system", own: true, ownerName: "Ada", systemName: "Payments" })).not.toContain("Ada");
  });
});

describe("emptyText", () => {
  it("tells an empty list from a search without a hit", () => {
    expect(emptyText({ query: "deploy", scope: "user" }).title).toContain("deploy");
    expect(emptyText({}).title).toBe("No memories yet");
    expect(emptyText({ scope: "system" }).title).toContain("shared");
    expect(emptyText({ scope: "user" }).hint).toContain("remember");
  });
});

describe("parseFilter", () => {
  it("takes only what the page knows", () => {
    expect(parseFilter({ query: "a", scope: "user", systemId: "x" })).toEqual({ query: "a", scope: "user" });
    expect(parseFilter({ query: "", scope: "everybody" })).toEqual({});
    expect(parseFilter({ query: 1, scope: ["user"] })).toEqual({});
  });
});
