import { useQuery } from "@tanstack/react-query";
import { healthRules } from "../api/health";
import { holds, meQuery } from "../api/session";

/** Actions to offer. The server decides again on every request; this only spares people from refusals. */
export function useHealthPermission() {
  const { data: me } = useQuery(meQuery);
  return {
    me,
    known: me !== undefined,
    status: holds(me, healthRules.status),
    read: holds(me, healthRules.read) || holds(me, healthRules.manage),
    manage: holds(me, healthRules.manage),
    details: holds(me, healthRules.details),
    locations: holds(me, healthRules.locations),
  };
}
