import { useQuery } from "@tanstack/react-query";
import { catalogKey, createEnvironment, deleteEnvironment, environmentsQuery, updateEnvironment } from "../api/catalog";
import { Badge } from "../ui/Badge";
import { NamedList } from "./NamedList";
import { mayEdit, mayOwn, useCatalogPermission } from "./permission";

export function EnvironmentsPage() {
  const { data: environments, error, refetch } = useQuery(environmentsQuery);
  return (
    <NamedList
      create={createEnvironment}
      creatable={useCatalogPermission().createEnvironments}
      deletable={mayOwn}
      deleteWarning="Systems are taken out of it. This cannot be undone."
      description="Where systems run, such as production or staging."
      editable={mayEdit}
      error={error}
      invalidates={[catalogKey]}
      noun="environment"
      onRetry={() => void refetch()}
      remove={deleteEnvironment}
      rowBadges={(environment) =>
        Object.entries(environment.fields ?? {}).map(([name, value]) => (
          <Badge key={name}>
            {name}: {typeof value === "string" ? value : JSON.stringify(value)}
          </Badge>
        ))
      }
      things={environments}
      title="Environments"
      update={updateEnvironment}
      withFields
    />
  );
}
