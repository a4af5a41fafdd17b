import { afterEach, describe, expect, it } from "vitest";
import { keepUnsent, readUnsent, withPrompt } from "./unsent";

afterEach(() => sessionStorage.clear());

describe("an unsent message", () => {
  it("is kept for one person and one conversation, until it is sent", () => {
    keepUnsent("ada", "c1", "Half a thought");
    expect(readUnsent("ada", "c1")).toBe("Half a thought");
    expect(readUnsent("ada", "c2")).toBe("");
    expect(readUnsent("bob", "c1")).toBe("");
    keepUnsent("ada", "c1", "");
    expect(readUnsent("ada", "c1")).toBe("");
    expect(sessionStorage.length).toBe(0);
  });

  it("stays when a link brings a prompt", () => {
    expect(withPrompt("", "Which systems?")).toBe("Which systems?");
    expect(withPrompt("Half a thought", "")).toBe("Half a thought");
    expect(withPrompt("Half a thought\n", "Which systems?")).toBe("Half a thought\n\nWhich systems?");
    // The page with the link in its address is read again.
    expect(withPrompt("Half a thought\n\nWhich systems?", "Which systems?")).toBe("Half a thought\n\nWhich systems?");
  });
});
