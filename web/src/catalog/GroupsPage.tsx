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
import { ListPage, wholeList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { NamedForm, type NamedKind } from "./NamedForm";
import { mayEdit, mayOwn, useCatalogPermission } from "./permission";

const kind: NamedKind<Group> = { noun: "group", create: createGroup, update: updateGroup };

export function GroupsPage() {
  const { data: names } = useQuery(systemNamesQuery);
  const creatable = useCatalogPermission().createGroups;
  return (
    <ListPage
      create={creatable ? (close) => <NamedForm kind={kind} onClose={close} /> : undefined}
      description="Systems that belong together."
      edit={(group, close) => <NamedForm item={group} kind={kind} onClose={close} />}
      editable={mayEdit}
      history={({ id }) => ({ type: "catalog.group", id })}
      itemKey={({ id }) => id}
      list={wholeList(useQuery(groupsQuery))}
      name={({ name }) => name}
      noun="group"
      removable={mayOwn}
      remove={{
        send: deleteGroup,
        tool: "catalog.deleteGroup",
        invalidates: [catalogKey],
        warning: "The systems in it stay. This cannot be undone.",
      }}
      row={(group, actions) => (
        <Row
          actions={actions}
          badges={<Members group={group} names={names} />}
          detail={group.description || undefined}
          title={group.name}
        />
      )}
      title="Groups"
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
