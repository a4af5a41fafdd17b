import { useQuery } from "@tanstack/react-query";
import { catalogKey, createEnvironment, deleteEnvironment, environmentsQuery, updateEnvironment } from "../api/catalog";
import { NamedList } from "./NamedList";
import { useCatalogPermission } from "./permission";

export function EnvironmentsPage() {
  const { data: environments, error, refetch } = useQuery(environmentsQuery);
  return (
    <NamedList
      create={createEnvironment}
      deleteWarning="Systems are taken out of it. This cannot be undone."
      description="Where systems run, such as production or staging."
      editable={useCatalogPermission().manageEnvironments}
      error={error}
      invalidates={[catalogKey]}
      noun="environment"
      onRetry={() => void refetch()}
      remove={deleteEnvironment}
      things={environments}
      title="Environments"
      update={updateEnvironment}
    />
  );
}
