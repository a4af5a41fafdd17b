import { useQuery } from "@tanstack/react-query";
import { locationsQuery, pollInterval, type Location } from "../api/health";
import { Badge } from "../ui/Badge";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { timeAgo, useNow } from "../ui/time";
import { count } from "./format";

/** The locations from which checks run, with their probes. */
export function LocationsPage() {
  const { data, error, refetch } = useQuery({ ...locationsQuery, refetchInterval: pollInterval });
  const now = useNow(10_000);
  return (
    <Page
      description="Checks run from main, and from each place where a probe is running."
      testId="locations"
      title="Locations"
    >
      <Panel title="Where checks run">
        {!data && (error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={2} />)}
        {data && (
          <ul aria-label="Locations" className="-m-4 divide-y">
            {data.map((location) => (
              <LocationRow key={location.name} location={location} now={now} />
            ))}
          </ul>
        )}
      </Panel>
    </Page>
  );
}

function LocationRow({ location, now }: { location: Location; now: number }) {
  const seen = location.lastSeen ? `Last seen ${timeAgo(location.lastSeen, now)}` : "Never seen";
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3" data-testid="probe-location">
      <div className="min-w-0 flex-1 basis-52">
        <div className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">{location.name}</span>
          <Badge tone={location.alive ? "success" : "warning"}>
            {location.alive ? "Alive" : "No probe is running"}
          </Badge>
          {Object.entries(location.labels).map(([label, value]) => (
            <Badge key={label}>
              {label}: {value}
            </Badge>
          ))}
        </div>
        <p className="text-sm text-muted-foreground">
          {location.alive ? `${location.processes} ${location.processes === 1 ? "process" : "processes"}` : seen}
          {location.versions.length > 0 && `, version ${location.versions.join(", ")}`}
        </p>
      </div>
      <span className="text-sm text-muted-foreground tabular-nums">{count(location.checks, "check")}</span>
    </li>
  );
}
