import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { systemsQuery, type System, type SystemFilter } from "../api/catalog";
import { leadOn } from "../ui/arrival";
import { besidePage } from "../ui/beside";
import { Button } from "../ui/Button";
import { ListPage, pagedList } from "../ui/ListPage";
import { Rows } from "../ui/Rows";
import { SearchField } from "../ui/SearchField";
import { useToast } from "../ui/Toast";
import { useCatalogPermission } from "./permission";
import { SystemFilters } from "./SystemFilters";
import { SystemRow } from "./SystemRow";
import { useSystemTotal } from "./systemtotal";

const route = getRouteApi("/app/catalog/systems");

const [SystemForm, useFormAhead] = besidePage(async () => (await import("./SystemForm")).SystemForm);

export function SystemsPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const toast = useToast();
  const creatable = useCatalogPermission().createSystems;
  useFormAhead(creatable);
  const systems = useInfiniteQuery({ ...systemsQuery(filter), placeholderData: keepPreviousData });
  const list = pagedList(systems, (page) => page.systems);
  const total = useSystemTotal(filter, list.items, systems.hasNextPage);
  const { query = "", ...narrowed } = filter;
  const filtered = Object.values(narrowed).some(Boolean);
  // Choices enter the browser's history, single typed letters do not.
  const go = (change: SystemFilter, replace = false) =>
    void navigate({ to: "/catalog/systems", search: { ...filter, ...change }, replace });
  return (
    <ListPage
      create={
        creatable
          ? (close) => (
              <SystemForm
                onClose={close}
                onSaved={(system) => {
                  toast(`${system.name} was created`);
                  leadOn();
                  void navigate({ to: "/catalog/systems/$systemId", params: { systemId: system.id } });
                }}
              />
            )
          : undefined
      }
      description="Your systems and their owners."
      empty={
        query || filtered
          ? {
              title: query ? `No system matches “${query}”` : "No system matches",
              hint: filtered ? "Try fewer filters." : "Try a shorter word.",
            }
          : { title: "No systems yet", hint: "Create one here, or ask the assistant to add it." }
      }
      filters={
        <>
          <SearchField
            label="Search systems"
            onSearch={(text) => go({ query: text || undefined }, true)}
            placeholder="Search by name, description or tag"
            testId="system-search"
            value={query}
          />
          <SystemFilters filter={filter} onChange={go} />
          {(filtered || query !== "") && (
            <Button
              data-testid="clear-filters"
              icon="close"
              onClick={() => void navigate({ to: "/catalog/systems", search: {} })}
              variant="quiet"
            >
              Clear
            </Button>
          )}
        </>
      }
      itemKey={({ id }) => id}
      list={list}
      moreHint={(shown) => `These are the first ${shown}, by name. Search to find others faster.`}
      name={({ name }) => name}
      noun="system"
      row={(system) => <SystemRow system={system} />}
      title="Systems"
      total={total}
    >
      <Similar systems={systems.data?.pages[0]?.similar ?? []} />
    </ListPage>
  );
}

/** Suggestions for a search without results. */
function Similar({ systems }: { systems: readonly System[] }) {
  if (systems.length === 0) return null;
  return (
    <section className="flex flex-col gap-2" data-testid="similar-systems">
      <h2 className="text-sm font-medium">Did you mean</h2>
      <Rows itemKey={({ id }) => id} items={systems} label="Similar names">
        {(system) => <SystemRow system={system} />}
      </Rows>
    </section>
  );
}
