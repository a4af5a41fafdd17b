import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { catalogKey, groupQuery, type Group } from "../api/catalog";
import { addGroupMember, deleteGroup, removeGroupMember } from "../api/catalogcalls";
import { systemChoiceSchema } from "../api/forms/system";
import { askingLabel, useAsks } from "../api/governed";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { changedAt, DetailPage } from "../ui/DetailPage";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import type { Crumb } from "../ui/Trail";
import { backWords, useBringBack } from "./bringback";
import { Metadata } from "./Metadata";
import { groupKind, NamedForm } from "./NamedForm";
import { mayEdit, mayOwn } from "./permission";
import { SystemChoice } from "./SystemChoice";
import { SystemList } from "./SystemList";

const route = getRouteApi("/app/catalog/groups/$groupId");
const trail: Crumb[] = [{ label: "Groups", link: { to: "/catalog/groups" } }];

/** A group with its systems and details. */
export function GroupPage() {
  const back = useBringBack().group;
  const { groupId } = route.useParams();
  const navigate = useNavigate();
  return (
    <DetailPage
      description={({ description }) => description || "No description"}
      edit={(group, close) => <NamedForm item={group} kind={groupKind} onClose={close} />}
      editable={mayEdit}
      history={({ id }) => ({ type: "catalog.group", id })}
      name={({ name }) => name}
      noun="group"
      onDeleted={() => navigate({ to: "/catalog/groups" })}
      origin={changedAt}
      query={useQuery(groupQuery(groupId))}
      removable={mayOwn}
      remove={{
        send: deleteGroup,
        tool: "catalog.deleteGroup",
        invalidates: [catalogKey],
        again: back,
        warning: `Its systems are kept.${backWords(back, "its grants and history")}`,
      }}
      trail={trail}
    >
      {(group) => (
        <>
          <Members group={group} />
          {Object.keys(group.metadata ?? {}).length > 0 && <Metadata metadata={group.metadata} />}
        </>
      )}
    </DetailPage>
  );
}

function Members({ group }: { group: Group }) {
  const [adding, setAdding] = useState(false);
  const asks = useAsks("catalog.removeSystemFromGroup");
  const remove = useWrite({
    send: (systemId: string, key) => removeGroupMember(group.id, systemId, key),
    invalidates: [catalogKey],
  });
  return (
    <>
      <ErrorNotice error={remove.error} />
      <SystemList
        actions={
          mayEdit(group) && (
            <Button data-testid="add-to-group" icon="plus" onClick={() => setAdding(true)}>
              Add system
            </Button>
          )
        }
        empty="No system is in this group."
        filter={{ groupId: group.id }}
        row={(system) =>
          mayEdit(group) && (
            <IconButton
              busy={remove.isPending}
              disabled={asks === "off"}
              icon="close"
              label={askingLabel(asks, `Remove ${system.name}`)}
              onClick={() => remove.mutate(system.id)}
            />
          )
        }
      />
      {adding && (
        <SystemChoice
          onClose={() => setAdding(false)}
          schema={systemChoiceSchema}
          send={(systemId, key) => addGroupMember(group.id, systemId, key)}
          title={`Add a system to ${group.name}`}
          tool="catalog.addSystemToGroup"
        />
      )}
    </>
  );
}
