import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { catalogKey, setOwner, type System } from "../api/catalog";
import { teamsQuery } from "../api/teams";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { SelectField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { Panel } from "../ui/Page";
import { mayOwn } from "./permission";

export function SystemOwner({ system }: { system: System }) {
  const [choosing, setChoosing] = useState(false);
  const owners = system.owners ?? [];
  return (
    <Panel
      actions={
        mayOwn(system) && (
          <Button data-testid="choose-owner" onClick={() => setChoosing(true)} variant="quiet">
            Choose
          </Button>
        )
      }
      title="Owner"
    >
      {owners.length === 0 && <p className="text-sm text-muted-foreground">No team owns this system.</p>}
      <ul className="flex flex-wrap gap-2">
        {owners.map((owner) => (
          <li key={owner.teamId}>
            <Link
              className="rounded-full bg-primary-soft px-3 py-1 text-sm text-primary hover:underline"
              params={{ teamId: owner.teamId }}
              to="/catalog/teams/$teamId"
            >
              {owner.teamName}
            </Link>
          </li>
        ))}
      </ul>
      {choosing && <OwnerChoice onClose={() => setChoosing(false)} system={system} />}
    </Panel>
  );
}

function OwnerChoice({ system, onClose }: { system: System; onClose: () => void }) {
  const { data: teams } = useQuery(teamsQuery);
  const [teamId, setTeamId] = useState(system.owners?.[0]?.teamId ?? "");
  const choose = useWrite({
    send: (id: string, key) => setOwner(system, id || null, key),
    invalidates: [catalogKey],
    onSuccess: onClose,
  });
  return (
    <FormDialog
      busy={choose.isPending}
      error={choose.error}
      onClose={onClose}
      onSubmit={() => choose.mutate(teamId)}
      submitLabel="Save"
      title={`Owner of ${system.name}`}
    >
      <SelectField label="Team" onChange={(event) => setTeamId(event.currentTarget.value)} value={teamId}>
        <option value="">No team</option>
        {teams?.map((team) => (
          <option key={team.id} value={team.id}>
            {team.name}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}
