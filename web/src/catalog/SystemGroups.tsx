import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { catalogKey, groupsQuery, type System } from "../api/catalog";
import { addGroupMember, removeGroupMember } from "../api/catalogcalls";
import { groupChoiceSchema } from "../api/forms/system";
import { askingLabel, useAsks } from "../api/governed";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ComboboxField } from "../ui/Combobox";
import { FormPage } from "../ui/FormPage";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { useRecordForm } from "../ui/recordform";
import { GroupLink } from "./links";
import { useCatalogPermission } from "./permission";

/** Membership belongs to the group, so it follows the right to manage groups. */
export function SystemGroups({ system }: { system: System }) {
  const editable = useCatalogPermission().createGroups;
  const [joining, setJoining] = useState(false);
  const asks = useAsks("catalog.removeSystemFromGroup");
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
      {groups.length === 0 && <p className="text-sm text-muted-foreground">Not in any group.</p>}
      <ul className="flex flex-col gap-1.5 text-sm">
        {groups.map((group) => (
          <li className="flex items-center gap-2" key={group.id}>
            <span className="min-w-0 flex-1 wrap-anywhere">
              <GroupLink id={group.id} name={group.name} />
            </span>
            {editable && (
              <IconButton
                busy={leave.isPending}
                disabled={asks === "off"}
                icon="close"
                label={askingLabel(asks, `Remove from ${group.name}`)}
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
  const member = new Set((system.groups ?? []).map((group) => group.id));
  const form = useRecordForm({
    tool: "catalog.addSystemToGroup",
    schema: groupChoiceSchema,
    values: () => ({ groupId: "" }),
    send: ({ groupId }, _, key) => addGroupMember(groupId, system.id, key),
    invalidates: [catalogKey],
    onSaved: onClose,
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Add" title={`Add ${system.name} to a group`}>
      <ComboboxField
        control={form.control}
        label="Group"
        name="groupId"
        options={groups?.filter(({ id }) => !member.has(id)).map(({ id, name }) => ({ value: id, label: name }))}
        placeholder="Choose a group"
        required
      />
    </FormPage>
  );
}
