import type { Labels } from "./area";

const files = import.meta.glob<Labels>("./*/labels.ts", { eager: true, import: "labels" });

/** The labels.ts of every area. */
export const areaLabels: readonly Labels[] = Object.values(files);

/** One kind of label of all areas. */
export function merged<Kind extends keyof Labels>(kind: Kind, of = areaLabels): NonNullable<Labels[Kind]> {
  const all = Object.create(null) as Record<string, unknown>;
  for (const labels of of) Object.assign(all, labels[kind]);
  return all as NonNullable<Labels[Kind]>;
}
