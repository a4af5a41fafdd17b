import { useQuery } from "@tanstack/react-query";
import { catalogKey, groupsQuery } from "../api/catalog";
import { deleteGroup } from "../api/catalogcalls";
import { ListPage, wholeList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { backWords, useBringBack } from "./bringback";
import { GroupLink } from "./links";
import { groupKind, NamedForm } from "./NamedForm";
import { mayEdit, mayOwn, useCatalogPermission } from "./permission";
import { systemsIn } from "./systemtotal";

export function GroupsPage() {
  const back = useBringBack().group;
  const creatable = useCatalogPermission().createGroups;
  return (
    <ListPage
      create={creatable ? (close) => <NamedForm kind={groupKind} onClose={close} /> : undefined}
      description="Systems that belong together."
      edit={(group, close) => <NamedForm item={group} kind={groupKind} onClose={close} />}
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
        again: back,
        warning: `Its systems are kept.${backWords(back, "its grants and history")}`,
      }}
      row={(group, actions) => (
        <Row
          actions={actions}
          badges={<span className="text-xs text-muted-foreground">{systemsIn(group)}</span>}
          detail={group.description || undefined}
          title={<GroupLink id={group.id} name={group.name} />}
        />
      )}
      title="Groups"
    />
  );
}
