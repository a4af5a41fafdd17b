import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { healthKey, locationsQuery, pollInterval, type Location } from "../api/health";
import { removeLocation, renameLocation } from "../api/healthcalls";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ConfirmDialog, Dialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { timeAgo, useNow } from "../ui/time";
import { count } from "./format";
import { useHealthPermission } from "./permission";

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
  const permission = useHealthPermission();
  const [asking, setAsking] = useState<"rename" | "remove" | null>(null);
  const close = () => setAsking(null);
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
      {permission.locations && location.id !== 0 && (
        <span className="flex">
          <IconButton icon="pencil" label={`Rename ${location.name}`} onClick={() => setAsking("rename")} />
          <IconButton icon="trash" label={`Remove ${location.name}`} onClick={() => setAsking("remove")} />
        </span>
      )}
      {asking === "rename" && <RenameDialog location={location} onClose={close} />}
      {asking === "remove" && <RemoveDialog location={location} onClose={close} />}
    </li>
  );
}

interface DialogProps {
  location: Location;
  onClose: () => void;
}

function RenameDialog({ location, onClose }: DialogProps) {
  const [name, setName] = useState(location.name);
  const rename = useWrite({
    send: (to: string, key) => renameLocation(location.id, to, key),
    // Checks and reasons name it.
    invalidates: [[...healthKey]],
    onSuccess: onClose,
    onProposed: onClose,
  });
  return (
    <Dialog onClose={onClose} testId="rename-location" title={`Rename ${location.name}`}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate(name.trim());
        }}
      >
        <TextField
          hint="Checks follow. Its probes keep the name they were started with."
          label="Name"
          maxLength={60}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          value={name}
        />
        <ErrorNotice error={rename.error} />
        <Button busy={rename.isPending} className="self-end" type="submit" variant="primary">
          Rename
        </Button>
      </form>
    </Dialog>
  );
}

function RemoveDialog({ location, onClose }: DialogProps) {
  const remove = useWrite({
    send: (id: number, key) => removeLocation(id, key),
    invalidates: [locationsQuery.queryKey],
    onSuccess: onClose,
    onProposed: onClose,
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirmLabel="Remove location"
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(location.id)}
      title={`Remove ${location.name}?`}
    >
      Stop its probes and choose other locations for its checks first. Its past runs stay visible.
    </ConfirmDialog>
  );
}
