import { useQuery } from "@tanstack/react-query";
import { systemCountQuery, type System, type SystemFilter } from "../api/catalog";

const inWords = (systems: number, more: boolean) =>
  systems === 1 && !more ? "1 system" : `${systems.toLocaleString("en")}${more ? "+" : ""} systems`;

/** How many systems a group or an environment has, as far as the reader sees them. */
export const systemsIn = ({ systemIds }: { systemIds: readonly string[] }) => inWords(systemIds.length, false);

/** How many systems a list has, in words: its only page says it, and the server counts those of more pages. */
export function useSystemTotal(filter: SystemFilter, read: readonly System[] | undefined, more: boolean) {
  const { data: count } = useQuery({ ...systemCountQuery(filter), enabled: more });
  if (!read) return undefined;
  if (!more) return inWords(read.length, false);
  return count && inWords(count.systems, count.more ?? false);
}
