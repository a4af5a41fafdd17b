import type { MemoryFilter } from "../api/memories";

/** The filter that an address asks for. */
export function parseFilter(search: Record<string, unknown>): MemoryFilter {
  const filter: MemoryFilter = {};
  if (typeof search.query === "string" && search.query !== "") filter.query = search.query;
  if (search.scope === "user" || search.scope === "system") filter.scope = search.scope;
  return filter;
}
