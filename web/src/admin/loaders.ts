import type { QueryClient } from "@tanstack/react-query";
import { auditQuery, auditStatusQuery, type AuditFilter } from "../api/audit";
import { connectionsQuery } from "../api/connections";
import { parkedQuery } from "../api/events";
import { historyRetentionQuery } from "../api/health";
import { changesQuery, objectTypesQuery, type ChangeFilter } from "../api/history";
import { mcpServersQuery } from "../api/mcpservers";
import { modelChecksQuery } from "../api/modelchecks";
import { applicationsQuery, foundUsersQuery, rolesQuery, type UserFilter } from "../api/people";
import { policiesQuery } from "../api/policies";
import { erasuresQuery, keptPeopleQuery, retentionQuery } from "../api/privacy";
import { everyProgramQuery, registrationQuery } from "../api/programs";
import { scriptPolicyChangesQuery, scriptPolicyQuery } from "../api/scriptpolicy";
import { secretsQuery } from "../api/secrets";
import { holds, meQuery } from "../api/session";
import { administrationRules } from "../shell/administration";

interface Loading {
  context: { queryClient: QueryClient };
}

interface Filtered<Filter> extends Loading {
  deps: Filter;
}

export const connections = ({ context: { queryClient } }: Loading) => void queryClient.prefetchQuery(connectionsQuery);

export function modelCheck({ context: { queryClient } }: Loading) {
  void queryClient.prefetchQuery(connectionsQuery);
  void queryClient.prefetchInfiniteQuery(modelChecksQuery);
}

export const users = ({ context: { queryClient }, deps }: Filtered<UserFilter>) =>
  void queryClient.prefetchInfiniteQuery(foundUsersQuery(deps));

export const roles = ({ context: { queryClient } }: Loading) => void queryClient.prefetchQuery(rolesQuery);

export const applications = ({ context: { queryClient } }: Loading) =>
  void queryClient.prefetchQuery(applicationsQuery);

export function programs({ context: { queryClient } }: Loading) {
  void queryClient.prefetchInfiniteQuery(everyProgramQuery);
  void queryClient.prefetchQuery(registrationQuery);
}

export const mcpServers = ({ context: { queryClient } }: Loading) => void queryClient.prefetchQuery(mcpServersQuery);

export const policies = ({ context: { queryClient } }: Loading) => void queryClient.prefetchQuery(policiesQuery);

export const secrets = ({ context: { queryClient } }: Loading) => void queryClient.prefetchQuery(secretsQuery);

export function scriptPolicy({ context: { queryClient } }: Loading) {
  void queryClient.prefetchQuery(scriptPolicyQuery);
  void queryClient.prefetchQuery(scriptPolicyChangesQuery);
}

export function audit({ context: { queryClient }, deps }: Filtered<AuditFilter>) {
  void queryClient.prefetchInfiniteQuery(auditQuery(deps));
  void queryClient.prefetchQuery(auditStatusQuery);
}

export function auditChanges({ context: { queryClient }, deps }: Filtered<ChangeFilter>) {
  void queryClient.prefetchInfiniteQuery(changesQuery(deps));
  void queryClient.prefetchQuery(objectTypesQuery);
  void queryClient.prefetchQuery(auditStatusQuery);
}

export function privacy({ context: { queryClient } }: Loading) {
  const me = queryClient.getQueryData(meQuery.queryKey);
  if (holds(me, administrationRules.retention)) void queryClient.prefetchQuery(retentionQuery);
  if (!holds(me, administrationRules.privacy)) return;
  void queryClient.prefetchQuery(keptPeopleQuery);
  void queryClient.prefetchQuery(erasuresQuery);
}

export function operations({ context: { queryClient } }: Loading) {
  const me = queryClient.getQueryData(meQuery.queryKey);
  if (holds(me, administrationRules.history)) void queryClient.prefetchQuery(historyRetentionQuery);
  if (holds(me, administrationRules.events)) void queryClient.prefetchInfiniteQuery(parkedQuery);
}
