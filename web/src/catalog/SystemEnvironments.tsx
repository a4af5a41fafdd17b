import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { catalogKey, environmentsQuery, type System } from "../api/catalog";
import { setEnvironments } from "../api/catalogcalls";
import { environmentsSchema } from "../api/forms/system";
import { Button } from "../ui/Button";
import { ChoicesField } from "../ui/ChoicesField";
import { FormPage } from "../ui/FormPage";
import { Panel } from "../ui/Page";
import { useRecordForm } from "../ui/recordform";
import { badgeLink } from "./links";

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
          <Link
            className={badgeLink}
            data-testid="environment-link"
            key={environment.id}
            params={{ environmentId: environment.id }}
            to="/catalog/environments/$environmentId"
          >
            {environment.name}
          </Link>
        ))}
      </div>
      {choosing && <EnvironmentChoice onClose={() => setChoosing(false)} system={system} />}
    </Panel>
  );
}

function EnvironmentChoice({ system, onClose }: { system: System; onClose: () => void }) {
  const { data: environments } = useQuery(environmentsQuery);
  const form = useRecordForm({
    schema: environmentsSchema,
    tool: "catalog.setSystemEnvironments",
    item: system,
    values: (now) => ({ environmentIds: (now?.environments ?? []).map(({ id }) => id) }),
    send: ({ environmentIds }, began, key) => setEnvironments(began ?? system, environmentIds, key),
    invalidates: [catalogKey],
    onSaved: onClose,
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Save" title={`Environments of ${system.name}`}>
      <ChoicesField
        control={form.control}
        empty="There are no environments yet."
        legend="Runs in"
        name="environmentIds"
        options={environments?.map(({ id, name, description }) => ({ id, label: name, hint: description }))}
      />
    </FormPage>
  );
}
