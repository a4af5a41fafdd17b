import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { catalogKey, type System } from "../api/catalog";
import { setOwner } from "../api/catalogcalls";
import { ownerSchema } from "../api/forms/system";
import { teamsQuery } from "../api/teams";
import { Button } from "../ui/Button";
import { ComboboxField } from "../ui/Combobox";
import { FormPage } from "../ui/FormPage";
import { Panel } from "../ui/Page";
import { useRecordForm } from "../ui/recordform";
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
          <li className="min-w-0" key={owner.teamId}>
            <Link
              className="inline-block max-w-full rounded-2xl bg-primary-soft px-3 py-1 text-sm wrap-anywhere text-primary hover:underline"
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

const noTeam = { value: "", label: "No team" };

function OwnerChoice({ system, onClose }: { system: System; onClose: () => void }) {
  const { data: teams } = useQuery(teamsQuery);
  const form = useRecordForm({
    schema: ownerSchema,
    tool: "catalog.setSystemOwner",
    item: system,
    values: (now) => ({ teamId: now?.owners?.[0]?.teamId ?? "" }),
    send: ({ teamId }, began, key) => setOwner(began ?? system, teamId || null, key),
    invalidates: [catalogKey],
    onSaved: onClose,
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Save" title={`Owner of ${system.name}`}>
      <ComboboxField
        control={form.control}
        label="Team"
        name="teamId"
        options={teams && [noTeam, ...teams.map(({ id, name }) => ({ value: id, label: name }))]}
      />
    </FormPage>
  );
}
