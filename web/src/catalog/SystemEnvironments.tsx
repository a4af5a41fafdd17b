import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { catalogKey, environmentsQuery, setEnvironments, type System } from "../api/catalog";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Choices } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { Panel } from "../ui/Page";

export function SystemEnvironments({ system, editable }: { system: System; editable: boolean }) {
  const [choosing, setChoosing] = useState(false);
  const environments = system.environments ?? [];
  return (
    <Panel
      actions={
        editable && (
          <Button onClick={() => setChoosing(true)} variant="quiet">
            Choose
          </Button>
        )
      }
      title="Environments"
    >
      {environments.length === 0 && <p className="text-sm text-muted-foreground">Not assigned to an environment.</p>}
      <div className="flex flex-wrap gap-2">
        {environments.map((environment) => (
          <Badge key={environment.id}>{environment.name}</Badge>
        ))}
      </div>
      {choosing && <EnvironmentChoice onClose={() => setChoosing(false)} system={system} />}
    </Panel>
  );
}

function EnvironmentChoice({ system, onClose }: { system: System; onClose: () => void }) {
  const { data: environments } = useQuery(environmentsQuery);
  const [selected, setSelected] = useState((system.environments ?? []).map((environment) => environment.id));
  const assign = useWrite({
    send: (ids: string[], key) => setEnvironments(system, ids, key),
    invalidates: [catalogKey],
    onSuccess: onClose,
  });
  return (
    <FormDialog
      busy={assign.isPending}
      error={assign.error}
      onClose={onClose}
      onSubmit={() => assign.mutate(selected)}
      submitLabel="Save"
      title={`Environments of ${system.name}`}
    >
      <Choices
        empty="There are no environments yet."
        legend="Runs in"
        onChange={setSelected}
        options={(environments ?? []).map(({ id, name, description }) => ({ id, label: name, hint: description }))}
        selected={selected}
      />
    </FormDialog>
  );
}
