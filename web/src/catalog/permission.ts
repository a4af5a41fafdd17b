import { useQuery } from "@tanstack/react-query";
import type { System } from "../api/catalog";
import { holds, meQuery } from "../api/session";

/**
 * Which buttons to offer. The server decides again on every request; this only
 * spares people from forms that would be refused.
 */
export function useCatalogPermission() {
  const { data: me } = useQuery(meQuery);
  const managesSystems = holds(me, "catalog.system.manage");
  return {
    createSystems: managesSystems,
    editSystem: (system: System) =>
      managesSystems || (system.owners ?? []).some((owner) => me?.teams.some((team) => team.id === owner.teamId)),
    manageGroups: holds(me, "catalog.group.manage"),
    manageEnvironments: holds(me, "catalog.environment.manage"),
    manageTeams: holds(me, "auth.teams.manage"),
  };
}
