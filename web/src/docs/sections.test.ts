import { describe, expect, it } from "vitest";
import { plainSnippet, sectionsOf } from "./sections";

const page = (slug: string, title: string) => ({ slug, title });

describe("sectionsOf", () => {
  it("orders parts as people need them and pages by title", () => {
    const sections = sectionsOf([
      page("custom-tools", "Custom tools"),
      page("getting-started", "Getting started"),
      page("how-to/b", "Bake"),
      page("how-to/a", "Cut"),
      page("index", "Welcome"),
      page("concepts/x", "Idea"),
      page("new-part/x", "New"),
    ]);
    expect(sections.map(({ title, pages }) => [title, pages.map(({ slug }) => slug)])).toEqual([
      ["Start here", ["index", "getting-started", "custom-tools"]],
      ["Concepts", ["concepts/x"]],
      ["How-to", ["how-to/b", "how-to/a"]],
      ["new-part", ["new-part/x"]],
    ]);
  });
});

describe("plainSnippet", () => {
  it("leaves the words of a passage", () => {
    expect(plainSnippet("…## Auto\n\nThe server *applies* `mutate`, see [plans](/docs/concepts/plans#decide).…")).toBe(
      "The server applies mutate, see plans.…",
    );
    expect(plainSnippet("| a | b |\n|---|:-:|\n| `c` | d |")).toBe("a · b c · d");
    expect(plainSnippet("```sh\nmake run\n```")).toBe("make run");
  });
});
