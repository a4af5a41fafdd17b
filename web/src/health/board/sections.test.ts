import { describe, expect, it } from "vitest";
import type { BoardRow } from "../../api/health";
import type { Status } from "../status";
import { entriesOf, inOrderOf, type Entry } from "./sections";

const row = (systemId: string, status: Status, more: Partial<BoardRow> = {}): BoardRow => ({
  systemId,
  systemName: systemId.toUpperCase(),
  status,
  reason: "",
  checks: 1,
  ...more,
});
const said = (entries: readonly Entry[]) =>
  entries.map((entry) =>
    entry.kind === "section" ? `# ${entry.section.title}` : entry.row.systemId + (entry.left ? " (left)" : ""),
  );
const none = new Set<string>();

describe("Sections of the board", () => {
  const groups = [
    { id: "g1", name: "Alpha" },
    { id: "g2", name: "Beta 10" },
    { id: "g3", name: "Beta 9" },
  ];
  const rows = [
    row("a", "unhealthy", { groupIds: ["g2"], tags: ["eu"] }),
    row("b", "degraded", { tags: ["us"] }),
    row("c", "healthy", { groupIds: ["g1", "g2"], tags: ["eu", "us"] }),
    row("d", "healthy", { groupIds: ["g3"] }),
    row("e", "healthy", { groupIds: ["hidden"] }),
  ];

  it("are those with the worst system first, and a system is in each of its own", () => {
    expect(said(entriesOf(rows, groups, "group", none))).toEqual([
      "# Beta 10",
      "a",
      "c",
      "# No group",
      "b",
      "e",
      "# Alpha",
      "c",
      "# Beta 9",
      "d",
    ]);
    expect(said(entriesOf(rows, groups, "tag", none))).toEqual([
      "# eu",
      "a",
      "c",
      "# us",
      "b",
      "c",
      "# No tag",
      "d",
      "e",
    ]);
    expect(said(entriesOf(rows, groups, undefined, none))).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("count their systems by status, also while they are closed", () => {
    const [first] = entriesOf(rows, groups, "group", new Set(["g2"]));
    expect(first?.kind === "section" && first.section).toMatchObject({
      counts: { unhealthy: 1, healthy: 1 },
      systems: 2,
      collapsed: true,
    });
    expect(said(entriesOf(rows, groups, "group", new Set(["g2"]))).slice(0, 2)).toEqual(["# Beta 10", "# No group"]);
  });

  it("give every entry a key of its own", () => {
    const keys = entriesOf(rows, groups, "tag", none).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("An order that is held", () => {
  const before = entriesOf([row("a", "healthy"), row("b", "healthy"), row("c", "healthy")], [], undefined, none);

  it("has the newest contents, new entries at its end, and keeps the place of what has left", () => {
    const now = entriesOf([row("d", "unhealthy"), row("c", "degraded"), row("a", "healthy")], [], undefined, none);
    const { entries, differs } = inOrderOf(before, now);
    expect(said(entries)).toEqual(["a", "b (left)", "c", "d"]);
    expect(differs).toBe(true);
    const c = entries[2];
    expect(c?.kind === "system" && c.row.status).toBe("degraded");
  });

  it("does not differ when only contents have changed", () => {
    const now = entriesOf([row("a", "healthy"), row("b", "degraded"), row("c", "healthy")], [], undefined, none);
    expect(inOrderOf(before, now).differs).toBe(false);
  });
});
