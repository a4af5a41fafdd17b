import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { catalogKey, createGroup, deleteGroup, groupsQuery, systemsQuery, updateGroup, type Group } from "../api/catalog";
import { NamedList } from "./NamedList";
import { useCatalogPermission } from "./permission";

export function GroupsPage() {
  const { data: groups, error, refetch } = useQuery(groupsQuery);
  const { data: systems } = useQuery(systemsQuery(""));
  const names = new Map((systems ?? []).map((system) => [system.id, system.name]));
  return (
    <NamedList
      create={createGroup}
      deleteWarning="The systems in it stay. This cannot be undone."
      description="Systems that belong together."
      editable={useCatalogPermission().manageGroups}
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

function Members({ group, names }: { group: Group; names: Map<string, string> }) {
  const ids = group.systemIds ?? [];
  if (ids.length === 0) return <span className="text-xs text-muted-foreground">empty</span>;
  return ids.map((id) => (
    <Link
      className="rounded-full bg-muted px-2 py-0.5 text-xs text-muted-foreground hover:text-foreground"
      key={id}
      params={{ systemId: id }}
      to="/catalog/systems/$systemId"
    >
      {names.get(id) ?? "system"}
    </Link>
  ));
}
