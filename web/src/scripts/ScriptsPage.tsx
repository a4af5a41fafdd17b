import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { scriptContextQuery } from "../api/scripts";
import { meQuery } from "../api/session";
import { SelectField } from "../ui/Field";
import { EmptyState, ErrorNotice, Skeleton } from "../ui/Notice";
import { useDocumentTitle } from "../ui/Page";
import { places, placesOf, type Place } from "./places";
import { Playground } from "./Playground";

const route = getRouteApi("/app/scripts");

/** A place to try scripts: nothing that runs here is kept. */
export function ScriptsPage() {
  useDocumentTitle("Scripts");
  const navigate = useNavigate();
  const { context } = route.useSearch();
  const { data: me } = useQuery(meQuery);
  const offered = placesOf(me);
  const place = offered.find(({ id }) => id === context) ?? offered[0];
  return (
    <div className="h-full overflow-y-auto" data-testid="scripts-page">
      <div className="mx-auto flex max-w-7xl flex-col gap-5 px-4 py-6 sm:px-8">
        <header className="flex flex-wrap items-end justify-between gap-3">
          <div className="min-w-0 flex-1 basis-72">
            <h1 className="text-xl font-semibold tracking-tight">Scripts</h1>
            <p className="mt-0.5 text-sm text-muted-foreground">
              Try a script of a health check or an automation in its sandbox. Nothing is saved on the server.
            </p>
          </div>
          {place && (
            <div className="w-full sm:w-72">
              <SelectField
                data-testid="script-context"
                label="Context"
                onChange={(event) => {
                  const next = places.find(({ id }) => id === event.currentTarget.value);
                  void navigate({ to: "/scripts", search: { context: next?.id }, replace: true });
                }}
                value={place.id}
              >
                {offered.map(({ id, label }) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </SelectField>
            </div>
          )}
        </header>
        {me && place && <OpenPlace key={place.id} person={me.id} place={place} />}
        {me && !place && (
          <EmptyState title="No access to scripts">
            Scripts need the right to manage health checks or automations. Ask an administrator.
          </EmptyState>
        )}
      </div>
    </div>
  );
}

function OpenPlace({ place, person }: { place: Place; person: string }) {
  const { data: context, error, refetch } = useQuery(scriptContextQuery(place.area, place.id));
  if (context) return <Playground context={context} person={person} place={place} />;
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return <Skeleton className="h-96 w-full" />;
}
