import { expect, it } from "vitest";
import { joined, offers } from "./SuggestField";

const all = ["gpt-x", "gpt-x-mini", "llama"].map((value) => ({ value }));
const offered = (text: string, several = false) =>
  all.map(({ value }) => value).filter((name) => offers(name, text, all, several));

it("suggests what holds every word that is typed", () => {
  expect(offered("MINI gpt")).toEqual(["gpt-x-mini"]);
  expect(offered("nothing")).toEqual([]);
  expect(offered("")).toHaveLength(3);
});

it("offers all of them again when the field holds one", () => expect(offered("gpt-x")).toHaveLength(3));

it("looks for the last of several and leaves out those that are there", () => {
  expect(offered("gpt-x, gp", true)).toEqual(["gpt-x-mini"]);
  expect(offered("gpt-x, ", true)).toEqual(["gpt-x-mini", "llama"]);
});

it("puts the chosen one in the place of what was typed", () => {
  expect(joined("gpt-x, ll", "llama")).toBe("gpt-x, llama, ");
  expect(joined("", "llama")).toBe("llama, ");
  expect(joined("llama, ll", "llama")).toBe("llama, ");
});
