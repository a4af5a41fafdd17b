import { afterEach, expect, it } from "vitest";
import { keepPlace, lastPlace, leavePlace } from "./place";

afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it("the chat opens where its person was, in this tab or else in the last one", () => {
  expect(lastPlace("ada")).toBe("");
  keepPlace("ada", "c1");
  expect(lastPlace("ada")).toBe("c1");
  expect(lastPlace("bob")).toBe("");
  // Another tab.
  localStorage.setItem("countersign.chat.ada", "c2");
  expect(lastPlace("ada")).toBe("c1");
  sessionStorage.clear();
  expect(lastPlace("ada")).toBe("c2");
});

it("does not open where nothing is any more", () => {
  keepPlace("ada", "c1");
  leavePlace("ada", "c2");
  expect(lastPlace("ada")).toBe("c1");
  leavePlace("ada", "c1");
  expect(lastPlace("ada")).toBe("");
});

it("belongs to somebody", () => {
  keepPlace("", "c1");
  expect(lastPlace("")).toBe("");
});
