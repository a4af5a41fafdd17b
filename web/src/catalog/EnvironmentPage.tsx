import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { catalogKey, environmentQuery, systemQuery, type Environment, type System } from "../api/catalog";
import { deleteEnvironment, setEnvironments } from "../api/catalogcalls";
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
import { environmentKind, NamedForm } from "./NamedForm";
import { mayEdit, mayOwn } from "./permission";
import { SystemChoice } from "./SystemChoice";
import { SystemList } from "./SystemList";

const route = getRouteApi("/app/catalog/environments/$environmentId");
const trail: Crumb[] = [{ label: "Environments", link: { to: "/catalog/environments" } }];

/** An environment: its fields, and the systems that run in it. */
export function EnvironmentPage() {
  const back = useBringBack().environment;
  const { environmentId } = route.useParams();
  const navigate = useNavigate();
  return (
    <DetailPage
      description={({ description }) => description || "No description"}
      edit={(environment, close) => <NamedForm item={environment} kind={environmentKind} onClose={close} />}
      editable={mayEdit}
      history={({ id }) => ({ type: "catalog.environment", id })}
      name={({ name }) => name}
      noun="environment"
      onDeleted={() => navigate({ to: "/catalog/environments" })}
      origin={changedAt}
      query={useQuery(environmentQuery(environmentId))}
      removable={mayOwn}
      remove={{
        send: deleteEnvironment,
        tool: "catalog.deleteEnvironment",
        invalidates: [catalogKey],
        again: back,
        warning: `Systems are removed from it.${backWords(back, "its grants and history")}`,
      }}
      trail={trail}
    >
      {(environment) => (
        <>
          <Metadata metadata={environment.fields} title="Fields" />
          <Systems environment={environment} />
        </>
      )}
    </DetailPage>
  );
}

const placesOf = (system: System) => (system.environments ?? []).map(({ id }) => id);

/** Where a system runs is said by the system, so it follows the right to change that. */
function Systems({ environment }: { environment: Environment }) {
  const [adding, setAdding] = useState(false);
  const queryClient = useQueryClient();
  const asks = useAsks("catalog.setSystemEnvironments");
  const remove = useWrite({
    send: (system: System, key) =>
      setEnvironments(
        system,
        placesOf(system).filter((id) => id !== environment.id),
        key,
      ),
    invalidates: [catalogKey],
  });
  const add = async (systemId: string, key: string) => {
    const system = await queryClient.fetchQuery(systemQuery(systemId));
    return setEnvironments(system, [...new Set([...placesOf(system), environment.id])], key);
  };
  return (
    <>
      <ErrorNotice error={remove.error} />
      <SystemList
        actions={
          <Button data-testid="add-to-environment" icon="plus" onClick={() => setAdding(true)}>
            Add system
          </Button>
        }
        empty="No system runs here."
        filter={{ environmentId: environment.id }}
        row={(system) =>
          mayEdit(system) && (
            <IconButton
              busy={remove.isPending}
              disabled={asks === "off"}
              icon="close"
              label={askingLabel(asks, `Remove ${system.name}`)}
              onClick={() => remove.mutate(system)}
            />
          )
        }
      />
      {adding && (
        <SystemChoice
          onClose={() => setAdding(false)}
          schema={systemChoiceSchema}
          send={add}
          title={`Add a system to ${environment.name}`}
          tool="catalog.setSystemEnvironments"
        />
      )}
    </>
  );
}
