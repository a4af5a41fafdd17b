const hour = 3_600_000;

/** How far a chart looks back: days are those of a board (UTC), today included. */
export const ranges = [
  { id: "1h", label: "1 h", days: undefined, span: hour, words: "last hour" },
  { id: "24h", label: "24 h", days: undefined, span: 24 * hour, words: "last 24 hours" },
  { id: "7d", label: "7 days", days: 7, span: 7 * 24 * hour, words: "last 7 days" },
  { id: "90d", label: "90 days", days: 90, span: 90 * 24 * hour, words: "last 90 days" },
] as const;

export type Range = (typeof ranges)[number]["id"];

export const rangeOf = (id: Range | undefined) => ranges.find((range) => range.id === id) ?? ranges[1];
