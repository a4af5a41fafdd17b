import { describe, expect, it } from "vitest";
import { isPaletteKey, isTyping, KeySequence } from "./shortcuts";

const no = { altKey: false, shiftKey: false, ctrlKey: false, metaKey: false };

describe("the key of the palette", () => {
  it.each([
    [{ ...no, key: "k", ctrlKey: true }, true],
    [{ ...no, key: "K", metaKey: true }, true],
    [{ ...no, key: "k" }, false],
    [{ ...no, key: "k", ctrlKey: true, shiftKey: true }, false],
    [{ ...no, key: "k", ctrlKey: true, metaKey: true }, false],
    [{ ...no, key: "l", ctrlKey: true }, false],
  ])("of %j: %s", (keys, is) => {
    expect(isPaletteKey(keys)).toBe(is);
  });
});

describe("a key that is typed", () => {
  it.each([
    ["<textarea></textarea>", true],
    ["<input>", true],
    ['<div contenteditable="true"></div>', true],
    // Focused element of a code editor in browsers with edit contexts.
    ['<div role="textbox" tabindex="0"></div>', true],
    ["<button></button>", false],
    ['<div tabindex="0"></div>', false],
  ])("into %s: %s", (html, is) => {
    document.body.innerHTML = html;
    expect(isTyping(document.body.firstElementChild)).toBe(is);
  });
});

describe("KeySequence", () => {
  it("recognises single keys", () => {
    const keys = new KeySequence();
    expect(keys.press("/", 0)).toBe("focus");
    expect(keys.press("?", 10)).toBe("help");
    expect(keys.press("x", 20)).toBeNull();
  });

  it("recognises g followed by a letter", () => {
    const keys = new KeySequence();
    expect(keys.press("g", 0)).toBeNull();
    expect(keys.press("s", 500)).toBe("systems");
  });

  it("forgets a g after a while and after another key", () => {
    const keys = new KeySequence();
    keys.press("g", 0);
    expect(keys.press("c", 5_000)).toBeNull();
    keys.press("g", 6_000);
    keys.press("x", 6_100);
    expect(keys.press("c", 6_200)).toBeNull();
  });

  it("starts again when g is pressed twice", () => {
    const keys = new KeySequence();
    keys.press("g", 0);
    keys.press("g", 1_000);
    expect(keys.press("p", 2_000)).toBe("proposals");
  });
});
