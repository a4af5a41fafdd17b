import type { AutomationFilter } from "../api/automations";
import { searchText } from "../shell/searchparams";

/** The filter in the address. Without a status all automations are listed. */
export const parseFilter = (search: Record<string, unknown>): AutomationFilter => ({
  query: searchText(search.query),
  status: search.status === "enabled" || search.status === "disabled" ? search.status : undefined,
  group: searchText(search.group),
});
