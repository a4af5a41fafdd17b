import type { BoardGroup, BoardRow } from "../../api/health";
import { statuses, type Status } from "../status";

/** Kind of the sections of the board; without one, the board is one list. */
export type SectionsBy = "group" | "tag";

export interface Section {
  /** "" for systems that are in none. */
  key: string;
  title: string;
  counts: Partial<Record<Status, number>>;
  systems: number;
  collapsed: boolean;
}

/** A row of the list: the heading of a section, or a system, which is in each of its sections. */
export type Entry =
  | { kind: "section"; key: string; section: Section }
  | { kind: "system"; key: string; row: BoardRow; left?: boolean };

const worst = (rows: readonly BoardRow[]) => Math.min(...rows.map(({ status }) => statuses.indexOf(status)));

/** The sections of a board as a flat list, those with the worst systems first and then by name. */
export function entriesOf(
  rows: readonly BoardRow[],
  groups: readonly BoardGroup[],
  by: SectionsBy | undefined,
  collapsed: ReadonlySet<string>,
): Entry[] {
  if (!by) return rows.map((row) => ({ kind: "system", key: row.systemId, row }));
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const sections = new Map<string, BoardRow[]>();
  for (const row of rows) {
    const keys = (by === "tag" ? row.tags : row.groupIds?.filter((id) => names.has(id))) ?? [];
    for (const key of keys.length > 0 ? keys : [""]) {
      const list = sections.get(key);
      if (list) list.push(row);
      else sections.set(key, [row]);
    }
  }
  const title = (key: string) => (key === "" ? `No ${by}` : by === "tag" ? key : (names.get(key) ?? ""));
  const order = [...sections].toSorted(([a, inA], [b, inB]) => {
    const difference = worst(inA) - worst(inB);
    if (difference !== 0) return difference;
    if (a === "" || b === "") return a === "" ? 1 : -1;
    return title(a).localeCompare(title(b), undefined, { numeric: true });
  });
  const entries: Entry[] = [];
  for (const [key, list] of order) {
    const counts: Section["counts"] = {};
    for (const { status } of list) counts[status] = (counts[status] ?? 0) + 1;
    const section = { key, title: title(key), counts, systems: list.length, collapsed: collapsed.has(key) };
    entries.push({ kind: "section", key: `section ${key}`, section });
    if (!section.collapsed)
      for (const row of list) entries.push({ kind: "system", key: `${key} ${row.systemId}`, row });
  }
  return entries;
}

/**
 * The entries in the order in which they stand on the page, with new ones at the end. One that is no longer among them
 * keeps its place and says so. `differs` reports that they would stand otherwise by now.
 */
export function inOrderOf(shown: readonly Entry[], entries: readonly Entry[]): { entries: Entry[]; differs: boolean } {
  const now = new Map(entries.map((entry) => [entry.key, entry]));
  const kept = shown.map((entry) => {
    const found = now.get(entry.key);
    now.delete(entry.key);
    return found ?? (entry.kind === "system" ? { ...entry, left: true } : entry);
  });
  const held = [...kept, ...now.values()];
  return { entries: held, differs: held.some((entry, at) => entries[at]?.key !== entry.key) };
}
