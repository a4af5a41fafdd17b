import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { addGroupMember, catalogKey, groupsQuery, removeGroupMember, type System } from "../api/catalog";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { SelectField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { useCatalogPermission } from "./permission";

/** Membership belongs to the group, so it follows the right to manage groups. */
export function SystemGroups({ system }: { system: System }) {
  const editable = useCatalogPermission().createGroups;
  const [joining, setJoining] = useState(false);
  const groups = system.groups ?? [];
  const leave = useWrite({
    send: (groupId: string, key) => removeGroupMember(groupId, system.id, key),
    invalidates: [catalogKey],
  });
  return (
    <Panel
      actions={
        editable && (
          <Button icon="plus" onClick={() => setJoining(true)} variant="quiet">
            Add to group
          </Button>
        )
      }
      title="Groups"
    >
      <ErrorNotice className="mb-2" error={leave.error} />
      {groups.length === 0 && <p className="text-sm text-muted-foreground">In no group.</p>}
      <ul className="flex flex-col gap-1.5 text-sm">
        {groups.map((group) => (
          <li className="flex items-center gap-2" key={group.id}>
            <span className="min-w-0 flex-1">{group.name}</span>
            {editable && (
              <IconButton
                disabled={leave.isPending}
                icon="close"
                label={`Remove from ${group.name}`}
                onClick={() => leave.mutate(group.id)}
              />
            )}
          </li>
        ))}
      </ul>
      {joining && <GroupChoice onClose={() => setJoining(false)} system={system} />}
    </Panel>
  );
}

function GroupChoice({ system, onClose }: { system: System; onClose: () => void }) {
  const { data: groups } = useQuery(groupsQuery);
  const [groupId, setGroupId] = useState("");
  const member = new Set((system.groups ?? []).map((group) => group.id));
  const join = useWrite({
    send: (id: string, key) => addGroupMember(id, system.id, key),
    invalidates: [catalogKey],
    onSuccess: onClose,
  });
  return (
    <FormDialog
      busy={join.isPending}
      error={join.error}
      onClose={onClose}
      onSubmit={() => join.mutate(groupId)}
      submitLabel="Add"
      title={`Add ${system.name} to a group`}
    >
      <SelectField label="Group" onChange={(event) => setGroupId(event.currentTarget.value)} required value={groupId}>
        <option value="">Choose a group</option>
        {groups
          ?.filter((group) => !member.has(group.id))
          .map((group) => (
            <option key={group.id} value={group.id}>
              {group.name}
            </option>
          ))}
      </SelectField>
    </FormDialog>
  );
}
