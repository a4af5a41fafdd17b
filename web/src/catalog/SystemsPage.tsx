import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { systemsQuery, type System } from "../api/catalog";
import { Badge } from "../ui/Badge";
import { ListPage, pagedList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { SearchField } from "../ui/SearchField";
import { useToast } from "../ui/Toast";
import { useCatalogPermission } from "./permission";
import { SystemForm } from "./SystemForm";

const route = getRouteApi("/app/catalog/systems");

export function SystemsPage() {
  const { query = "" } = route.useSearch();
  const navigate = useNavigate();
  const toast = useToast();
  const creatable = useCatalogPermission().createSystems;
  const systems = useInfiniteQuery({ ...systemsQuery(query), placeholderData: keepPreviousData });
  return (
    <ListPage
      create={
        creatable
          ? (close) => (
              <SystemForm
                onClose={close}
                onSaved={(system) => {
                  toast(`${system.name} was created`);
                  void navigate({ to: "/catalog/systems/$systemId", params: { systemId: system.id } });
                }}
              />
            )
          : undefined
      }
      description="What you operate, and who owns it."
      empty={
        query
          ? { title: `No system matches “${query}”`, hint: "Try a shorter word." }
          : { title: "No systems yet", hint: "Create one here, or ask the assistant to add it." }
      }
      filters={
        <SearchField
          label="Search systems"
          onSearch={(text) =>
            void navigate({ to: "/catalog/systems", search: { query: text || undefined }, replace: true })
          }
          placeholder="Search by name, description or tag"
          testId="system-search"
          value={query}
        />
      }
      itemKey={({ id }) => id}
      list={pagedList(systems, (page) => page.systems)}
      moreHint={(shown) => `These are the first ${shown}, by name. Search to find others faster.`}
      name={({ name }) => name}
      noun="system"
      row={(system) => <SystemRow system={system} />}
      title="Systems"
    />
  );
}

function SystemRow({ system }: { system: System }) {
  const owners = (system.owners ?? []).map((owner) => owner.teamName).join(", ");
  return (
    <Row
      actions={<span className="text-sm text-muted-foreground">{owners || "No owner"}</span>}
      badges={(system.tags ?? []).map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      detail={system.description || undefined}
      title={
        <Link
          className="hover:text-primary"
          data-testid="system-link"
          params={{ systemId: system.id }}
          to="/catalog/systems/$systemId"
        >
          {system.name}
        </Link>
      }
    />
  );
}
