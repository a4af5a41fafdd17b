import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { catalogKey, environmentsQuery } from "../api/catalog";
import { deleteEnvironment } from "../api/catalogcalls";
import { Badge } from "../ui/Badge";
import { ListPage, wholeList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { backWords, useBringBack } from "./bringback";
import { environmentKind, NamedForm } from "./NamedForm";
import { mayEdit, mayOwn, useCatalogPermission } from "./permission";
import { systemsIn } from "./systemtotal";

export function EnvironmentsPage() {
  const back = useBringBack().environment;
  const creatable = useCatalogPermission().createEnvironments;
  return (
    <ListPage
      create={creatable ? (close) => <NamedForm kind={environmentKind} onClose={close} /> : undefined}
      description="Where systems run, such as production or staging."
      edit={(environment, close) => <NamedForm item={environment} kind={environmentKind} onClose={close} />}
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
        again: back,
        warning: `Systems are removed from it.${backWords(back, "its grants and history")}`,
      }}
      row={(environment, actions) => (
        <Row
          actions={actions}
          badges={
            <>
              <span className="text-xs text-muted-foreground">{systemsIn(environment)}</span>
              {Object.entries(environment.fields ?? {}).map(([name, value]) => (
                <Badge key={name} wraps>
                  {name}: {typeof value === "string" ? value : JSON.stringify(value)}
                </Badge>
              ))}
            </>
          }
          detail={environment.description || undefined}
          title={
            <Link
              className="hover:text-primary hover:underline"
              data-testid="environment-link"
              params={{ environmentId: environment.id }}
              to="/catalog/environments/$environmentId"
            >
              {environment.name}
            </Link>
          }
        />
      )}
      title="Environments"
    />
  );
}
