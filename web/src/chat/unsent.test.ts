import { afterEach, describe, expect, it, vi } from "vitest";
import { keepOutgoing, keepUnsent, readUnsent, sentAnew, undelivered, withPrompt } from "./unsent";

const others = () => false;

afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

describe("an unsent message", () => {
  it("is kept for one person and one conversation, until it is sent", () => {
    keepUnsent("ada", "c1", "Half a thought");
    expect(readUnsent("ada", "c1")).toBe("Half a thought");
    expect(readUnsent("ada", "c2")).toBe("");
    expect(readUnsent("bob", "c1")).toBe("");
    keepUnsent("ada", "c1", "");
    expect(readUnsent("ada", "c1")).toBe("");
    expect(localStorage.length).toBe(0);
  });

  it("is kept for nobody while it is not known whose it is", () => {
    keepUnsent("", "c1", "Half a thought");
    keepOutgoing("", "c1", { id: "m1", text: "Half a thought" });
    expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
  });

  it("is forgotten when there are many newer ones", () => {
    vi.spyOn(Date, "now").mockImplementation(() => localStorage.length);
    for (let chat = 0; chat < 70; chat++) keepUnsent("ada", `c${chat}`, `Thought ${chat}`);
    expect(localStorage.length).toBe(60);
    expect(readUnsent("ada", "c69")).toBe("Thought 69");
  });

  it("that cannot be read is none", () => {
    for (const kept of ["{", "null", "7", '{"text":7,"at":1}', '"Half a thought"']) {
      localStorage.setItem("countersign.unsent.ada.c1", kept);
      expect(readUnsent("ada", "c1")).toBe("");
    }
  });

  it("stays when a link brings a prompt", () => {
    expect(withPrompt("", "Which systems?")).toBe("Which systems?");
    expect(withPrompt("Half a thought", "")).toBe("Half a thought");
    expect(withPrompt("Half a thought\n", "Which systems?")).toBe("Half a thought\n\nWhich systems?");
    // The page with the link in its address is read again.
    expect(withPrompt("Half a thought\n\nWhich systems?", "Which systems?")).toBe("Half a thought\n\nWhich systems?");
  });
});

describe("a message on its way", () => {
  it("comes back to the box when it has never arrived", () => {
    keepOutgoing("ada", "c1", { id: "m1", text: "Whole thought" });
    expect(undelivered("ada", "c1", [{ id: "m0" }], others)).toBe("Whole thought");
    expect(undelivered("bob", "c1", [], others)).toBe("");
    expect(undelivered("ada", "c2", [], others)).toBe("");
  });

  it("does not come back once it has arrived", () => {
    keepOutgoing("ada", "c1", { id: "m1", text: "Whole thought" });
    expect(undelivered("ada", "c1", [{ id: "m1" }], others)).toBe("");
    keepOutgoing("ada", "c1", null);
    expect(undelivered("ada", "c1", [], others)).toBe("");
  });

  it("does not come back to the page that has sent it, whatever was read meanwhile", () => {
    keepOutgoing("ada", "c1", { id: "m1", text: "Whole thought" });
    expect(undelivered("ada", "c1", [], (id) => id === "m1")).toBe("");
  });
});

describe("a message that is sent anew", () => {
  const edit = { id: "m1", text: "Which now?", before: "Which?" };

  it("has not arrived while the stored one says what it said before", () => {
    keepOutgoing("ada", "c1", edit);
    expect(sentAnew("ada", "c1", [{ id: "m1", text: "Which?" }])).toEqual({ id: "m1", arrived: false });
    // Credentials may be redacted in the stored message.
    expect(sentAnew("ada", "c1", [{ id: "m1", text: "Which now, [redacted]?" }])).toEqual({ id: "m1", arrived: true });
    expect(sentAnew("ada", "c1", [])).toEqual({ id: "m1", arrived: true });
    expect(sentAnew("bob", "c1", [{ id: "m1", text: "Which?" }])).toBeNull();
  });

  it("does not come back to the box, as the message is there", () => {
    keepOutgoing("ada", "c1", edit);
    expect(undelivered("ada", "c1", [], others)).toBe("");
    keepOutgoing("ada", "c1", { id: "m1", text: "Whole thought" });
    expect(sentAnew("ada", "c1", [{ id: "m1", text: "Which?" }])).toBeNull();
  });
});
