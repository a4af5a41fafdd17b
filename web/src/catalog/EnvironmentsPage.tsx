import { useQuery } from "@tanstack/react-query";
import {
  catalogKey,
  createEnvironment,
  deleteEnvironment,
  environmentsQuery,
  updateEnvironment,
  type Environment,
} from "../api/catalog";
import { Badge } from "../ui/Badge";
import { ListPage, wholeList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { NamedForm, type NamedKind } from "./NamedForm";
import { mayEdit, mayOwn, useCatalogPermission } from "./permission";

const kind: NamedKind<Environment> = {
  noun: "environment",
  create: createEnvironment,
  update: updateEnvironment,
  withFields: true,
};

export function EnvironmentsPage() {
  const creatable = useCatalogPermission().createEnvironments;
  return (
    <ListPage
      create={creatable ? (close) => <NamedForm kind={kind} onClose={close} /> : undefined}
      description="Where systems run, such as production or staging."
      edit={(environment, close) => <NamedForm item={environment} kind={kind} onClose={close} />}
      editable={mayEdit}
      history={({ id }) => ({ type: "catalog.environment", id })}
      itemKey={({ id }) => id}
      list={wholeList(useQuery(environmentsQuery))}
      name={({ name }) => name}
      noun="environment"
      removable={mayOwn}
      remove={{
        send: deleteEnvironment,
        tool: "catalog.deleteEnvironment",
        invalidates: [catalogKey],
        warning: "Systems are taken out of it. This cannot be undone.",
      }}
      row={(environment, actions) => (
        <Row
          actions={actions}
          badges={Object.entries(environment.fields ?? {}).map(([name, value]) => (
            <Badge key={name}>
              {name}: {typeof value === "string" ? value : JSON.stringify(value)}
            </Badge>
          ))}
          detail={environment.description || undefined}
          title={environment.name}
        />
      )}
      title="Environments"
    />
  );
}
