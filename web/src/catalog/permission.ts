import { useQuery } from "@tanstack/react-query";
import type { Access } from "../api/catalog";
import { holds, meQuery } from "../api/session";

/** Editors change a record. */
export const mayEdit = (record: { access: Access }) => record.access !== "viewer";

/** Owners also delete it and choose who owns it. */
export const mayOwn = (record: { access: Access }) => record.access === "owner";

/**
 * Which "New" buttons to offer. The server decides again on every request;
 * this only spares people from forms that would be refused.
 */
export function useCatalogPermission() {
  const { data: me } = useQuery(meQuery);
  return {
    createSystems: holds(me, "catalog.system.manage"),
    createGroups: holds(me, "catalog.group.manage"),
    createEnvironments: holds(me, "catalog.environment.manage"),
    manageTeams: holds(me, "auth.teams.manage"),
  };
}
