import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  catalogKey,
  createGroup,
  deleteGroup,
  groupsQuery,
  systemNamesQuery,
  updateGroup,
  type Group,
} from "../api/catalog";
import { NamedList } from "./NamedList";
import { mayEdit, mayOwn, useCatalogPermission } from "./permission";

export function GroupsPage() {
  const { data: groups, error, refetch } = useQuery(groupsQuery);
  const { data: names } = useQuery(systemNamesQuery);
  return (
    <NamedList
      create={createGroup}
      creatable={useCatalogPermission().createGroups}
      deletable={mayOwn}
      deleteWarning="The systems in it stay. This cannot be undone."
      description="Systems that belong together."
      editable={mayEdit}
      error={error}
      invalidates={[catalogKey]}
      noun="group"
      onRetry={() => void refetch()}
      remove={deleteGroup}
      rowBadges={(group) => <Members group={group} names={names} />}
      things={groups}
      title="Groups"
      update={updateGroup}
    />
  );
}

function Members({ group, names }: { group: Group; names: Map<string, string> | undefined }) {
  const ids = group.systemIds ?? [];
  if (ids.length === 0) return <span className="text-xs text-muted-foreground">empty</span>;
  return ids.map((id) => (
    <Link
      className="rounded-full bg-muted px-2 py-0.5 text-xs text-muted-foreground hover:text-foreground"
      key={id}
      params={{ systemId: id }}
      to="/catalog/systems/$systemId"
    >
      {names ? (names.get(id) ?? "unknown system") : "…"}
    </Link>
  ));
}
