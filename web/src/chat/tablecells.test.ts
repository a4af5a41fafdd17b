import { expect, it } from "vitest";
import { softened, tableCells, type HtmlNode } from "./tablecells";

const text = (value: string): HtmlNode => ({ type: "text", value });
const element = (tagName: string, ...children: HtmlNode[]): HtmlNode => ({ type: "element", tagName, children });

it("says of each cell what its column is called, and which of them are texts", () => {
  const long = "a text that is so long that it needs room to be read in";
  const head = element(
    "thead",
    element("tr", element("th", text("Name")), element("th", element("em", text("About")))),
  );
  const body = element("tbody", element("tr", element("td", text("one")), element("td", text(long)), element("td")));
  tableCells()(element("div", element("table", head, body)));
  const cells = body.children?.[0]?.children ?? [];
  expect(cells.map(({ properties }) => properties)).toEqual([
    { role: "cell", dataTitle: "Name" },
    { role: "cell", dataTitle: "About", dataLong: "" },
    { role: "cell" },
  ]);
  expect(head.children?.[0]?.children?.[0]?.properties).toEqual({ role: "columnheader" });
});

it("has long names go on after a mark, and leaves words and what is said as they are", () => {
  expect(softened("plain words that are many, but none of them long")).toHaveLength(1);
  expect(softened("catalog.createSystemOfManyGroups")).toEqual([
    "catalog.",
    "create",
    "System",
    "Of",
    "Many",
    "Groups",
  ]);
  expect(softened("see https://example.org/a/b?c=d now").join("")).toBe("see https://example.org/a/b?c=d now");
  expect(softened("see https://example.org/a/b?c=d now").length).toBeGreaterThan(3);
  expect(softened("x".repeat(60))).toHaveLength(1);

  const cell = element("td", element("code", text("catalog.createSystemOfGroups")));
  tableCells()(element("div", element("table", element("tr", cell))));
  const pieces = cell.children?.[0]?.children ?? [];
  expect(pieces.map(({ tagName, value }) => tagName ?? value).join("|")).toBe(
    "catalog.|wbr|create|wbr|System|wbr|Of|wbr|Groups",
  );
});
