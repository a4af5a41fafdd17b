import type { IncidentFilter } from "../api/incidents";
import { searchText } from "../shell/searchparams";

const one = <Value extends string>(value: unknown, values: readonly Value[]): Value | undefined =>
  values.find((known) => known === value);

/** The filter in the address. Without a state all incidents are listed. */
export const parseFilter = (search: Record<string, unknown>): IncidentFilter => ({
  query: searchText(search.query),
  state: one(search.state, ["open", "resolved"]),
  severity: one(search.severity, ["minor", "major", "critical"]),
  systemId: searchText(search.systemId),
});
