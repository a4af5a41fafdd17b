import { describe, expect, it } from "vitest";
import { readable } from "./readable";

const none = new Map<string, string>();
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, n]));

describe("a result as people read it", () => {
  it("shows a list of records as a table with names first and without ids", () => {
    const [table, note] = readable(
      {
        systems: [
          { id: "1", status: "active", name: "Payments", ownerTeamId: "t", tags: ["a", "b"], metadata: { a: 1 } },
          { id: "2", name: "Ledger", ownerTeamId: "u", tags: [] },
        ],
        note: "That is all.",
      },
      "catalog.listSystems",
      new Map([["t", "Platform"]]),
    );
    expect(table).toMatchObject({
      kind: "table",
      label: "Systems",
      columns: [{ label: "Name" }, { label: "Status" }, { label: "Owner team" }, { label: "Tags" }],
    });
    expect(table?.kind === "table" && table.rows.map(({ cells }) => cells.map(({ text }) => text))).toEqual([
      ["Payments", "active", "Platform", "a, b"],
      ["Ledger", "", "u", ""],
    ]);
    expect(note).toMatchObject({ kind: "text", label: "Note", text: "That is all." });
  });

  it("shows a record as fields, what is in it with its place, and the rest as it came", () => {
    const said = readable(
      { id: "1", name: "Payments", owner: { name: "Platform", deep: { er: { still: 1 } } }, groups: [], on: true },
      "catalog.getSystem",
      none,
    );
    expect(said.map((part) => [part.label, part.kind === "text" ? part.text : part.kind])).toEqual([
      ["Name", "Payments"],
      ["Owner, name", "Platform"],
      ["Owner, deep, er", '{"still":1}'],
      ["Groups", "none"],
      ["On", "Yes"],
    ]);
  });

  it("links rows to pages of the documentation, and to nothing else", () => {
    const [table] = readable(
      {
        hits: [
          { title: "Plans", link: "/docs/concepts/plans#x" },
          { title: "Evil", link: "//evil.example/docs/" },
        ],
      },
      "ai.searchDocs",
      none,
    );
    expect(table?.kind === "table" && table.rows.map(({ link }) => link)).toEqual([
      "/docs/concepts/plans#x",
      undefined,
    ]);
  });

  it("calls fields of tools that people have written as their authors do", () => {
    expect(readable({ total_price: 3 }, "agent.desk.total", none)).toMatchObject([{ label: "total_price", text: "3" }]);
  });

  it("says how much it has left out", () => {
    expect(readable(fields(24), "x.do", none)).toHaveLength(24);
    const said = readable(fields(30), "x.do", none);
    expect([said.length, said.at(-1)]).toMatchObject([25, { label: "And", text: "6 more, which the JSON has" }]);
  });

  it("takes anything", () => {
    for (const value of [null, undefined, "", 0, false, [], [[1]], [null], [{}], { a: [{ b: { c: 1 } }] }, "text"]) {
      expect(Array.isArray(readable(value, "x.do", none))).toBe(true);
    }
    expect(readable("text", "x.do", none)).toMatchObject([{ label: "", text: "text" }]);
  });
});
