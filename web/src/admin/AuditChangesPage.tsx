import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { changesExportUrl, changesQuery, type ChangeEntry, type ChangeFilter } from "../api/history";
import { ChangeLine } from "../history/ChangeLine";
import { itemLabel, typeLabel, useObjectTypes, type ObjectTypes } from "../history/objects";
import { programName } from "../history/words";
import { useNow } from "../ui/time";
import { LogPage } from "./AuditFrame";
import { narrowedNames } from "./auditwords";
import { ChangeFilters } from "./ChangeFilters";

const route = getRouteApi("/app/admin/audit/changes");

/** Audit log of changes and sign-ins by people, applications and the product itself. */
export function AuditChangesPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const now = useNow(30_000);
  const query = useInfiniteQuery({ ...changesQuery(filter), placeholderData: keepPreviousData });
  const types = useObjectTypes();
  const changes = types && query.data?.pages.flatMap((page) => page.changes);
  const actors = changes?.flatMap(({ actor, appliedBy }) => [actor, appliedBy]) ?? [];
  const show = (next: ChangeFilter) => void navigate({ to: "/admin/audit/changes", search: next, replace: true });

  return (
    <LogPage
      description="Every change and sign-in: requester, approver, channel and outcome."
      entries={changes}
      exportUrl={(format) => changesExportUrl(filter, format)}
      filter={filter}
      filters={
        <ChangeFilters
          filter={filter}
          objectName={filter.objectId && types && objectName(types, changes ?? [], filter)}
          onChange={show}
          types={types}
          {...narrowedNames(actors, filter)}
        />
      }
      none={{
        title: "No changes yet",
        text: "Changes and sign-ins appear here.",
        fits: "No changes match these filters",
      }}
      now={now}
      onClear={() => show({})}
      query={query}
      testId="changes-page"
    >
      {(read) =>
        types && (
          <ol
            aria-busy={query.isPlaceholderData}
            aria-label="Changes"
            className={`divide-y rounded-xl border bg-card shadow-raised ${query.isPlaceholderData ? "opacity-60" : ""}`}
          >
            {read.map((change) => (
              <li className="flex flex-col gap-1 px-4 py-3" key={change.entry}>
                <ChangeLine change={change} now={now} types={types} />
                <Narrow change={change} filter={filter} onChange={show} types={types} />
              </li>
            ))}
          </ol>
        )
      }
    </LogPage>
  );
}

interface NarrowProps {
  change: ChangeEntry;
  types: ObjectTypes;
  filter: ChangeFilter;
  onChange: (filter: ChangeFilter) => void;
}

const narrowing = "underline underline-offset-2 hover:text-foreground";

/** Leads from an entry to all about its object, and to all by who did it. */
function Narrow({ change: { object, actor, seq }, types, filter, onChange }: NarrowProps) {
  return (
    <p className="flex flex-wrap gap-x-3 text-xs text-muted-foreground">
      {object.id && !filter.objectId && (
        <button
          className={narrowing}
          onClick={() => onChange({ ...filter, objectType: object.type, objectId: object.id })}
          type="button"
        >
          All about this {typeLabel(types, object.type).toLowerCase()}
        </button>
      )}
      {actor.kind !== "service" && !filter.principal && (
        <button className={narrowing} onClick={() => onChange({ ...filter, principal: actor.id })} type="button">
          All by {actor.name || `this ${actor.kind}`}
        </button>
      )}
      {actor.kind === "user" && actor.program && !filter.program && (
        <button className={narrowing} onClick={() => onChange({ ...filter, program: actor.program?.id })} type="button">
          All through {programName(actor.program)}
        </button>
      )}
      <span>{seq === undefined ? "not in the chain yet" : `entry ${seq} of the chain`}</span>
    </p>
  );
}

function objectName(types: ObjectTypes, changes: ChangeEntry[], { objectType, objectId }: ChangeFilter): string {
  for (const { object, subject } of changes) {
    for (const item of [object, subject]) {
      if (item && item.type === objectType && item.id === objectId) return itemLabel(types, item);
    }
  }
  return "";
}
