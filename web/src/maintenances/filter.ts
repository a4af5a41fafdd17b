import type { MaintenanceFilter } from "../api/maintenances";
import { searchText } from "../shell/searchparams";

/** The filter in the address. Without a state all maintenances are listed. */
export const parseFilter = (search: Record<string, unknown>): MaintenanceFilter => ({
  query: searchText(search.query),
  state: search.state === "open" || search.state === "over" ? search.state : undefined,
  systemId: searchText(search.systemId),
});

/** The month of a calendar in the address, such as 2026-03. */
export const parseMonth = (search: Record<string, unknown>): { month?: string } => ({
  month: typeof search.month === "string" && /^20\d\d-(0[1-9]|1[0-2])$/.test(search.month) ? search.month : undefined,
});
