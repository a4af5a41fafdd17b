import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { catalogKey, deleteSystem, systemQuery, type System } from "../api/catalog";
import { useWrite } from "../api/write";
import { SystemMemories } from "../memory/SystemMemories";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/Dialog";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { useToast } from "../ui/Toast";
import { fullTime } from "../ui/time";
import { mayEdit, mayOwn } from "./permission";
import { SystemContacts } from "./SystemContacts";
import { SystemEnvironments } from "./SystemEnvironments";
import { SystemForm } from "./SystemForm";
import { SystemGroups } from "./SystemGroups";
import { SystemLinks } from "./SystemLinks";
import { SystemOwner } from "./SystemOwner";

const route = getRouteApi("/app/catalog/systems/$systemId");

export function SystemPage() {
  const { systemId } = route.useParams();
  const { data: system, error, refetch } = useQuery(systemQuery(systemId));
  if (system) return <SystemDetail system={system} />;
  return (
    <Page title="System">
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows />}
    </Page>
  );
}

function SystemDetail({ system }: { system: System }) {
  const toast = useToast();
  const editable = mayEdit(system);
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const close = () => setOpen(null);
  return (
    <Page
      actions={
        editable && (
          <>
            <Button data-testid="edit-system" icon="pencil" onClick={() => setOpen("edit")}>
              Edit
            </Button>
            {mayOwn(system) && (
              <Button data-testid="delete-system" icon="trash" onClick={() => setOpen("delete")}>
                Delete
              </Button>
            )}
          </>
        )
      }
      description={system.description || "No description"}
      testId="system-page"
      title={system.name}
    >
      <p className="-mt-2 flex flex-wrap items-center gap-2 text-sm text-muted-foreground">
        <Link className="underline underline-offset-2" search={{}} to="/catalog/systems">
          All systems
        </Link>
        {(system.tags ?? []).map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
        <span className="ml-auto text-xs">Changed {fullTime(system.updatedAt)}</span>
      </p>
      <div className="grid gap-4 md:grid-cols-2">
        <SystemOwner system={system} />
        <Metadata metadata={system.metadata ?? {}} />
        <SystemContacts editable={editable} system={system} />
        <SystemLinks editable={editable} system={system} />
        <SystemEnvironments editable={editable} system={system} />
        <SystemGroups system={system} />
        <div className="md:col-span-2">
          <SystemMemories system={system} />
        </div>
      </div>
      {open === "edit" && (
        <SystemForm
          onClose={close}
          onSaved={() => {
            toast("Saved");
            close();
          }}
          system={system}
        />
      )}
      {open === "delete" && <DeleteSystem onClose={close} system={system} />}
    </Page>
  );
}

function Metadata({ metadata }: { metadata: Record<string, unknown> }) {
  const entries = Object.entries(metadata);
  return (
    <Panel title="Metadata">
      {entries.length === 0 && <p className="text-sm text-muted-foreground">No metadata.</p>}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        {entries.map(([name, value]) => (
          <div className="contents" key={name}>
            <dt className="font-mono text-xs leading-6 text-muted-foreground">{name}</dt>
            <dd className="wrap-anywhere">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function DeleteSystem({ system, onClose }: { system: System; onClose: () => void }) {
  const navigate = useNavigate();
  const toast = useToast();
  const remove = useWrite({
    send: deleteSystem,
    onSuccess: async () => {
      toast(`${system.name} was deleted`);
      await navigate({ to: "/catalog/systems", search: {} });
    },
    invalidates: [
      [...catalogKey, "systems"],
      [...catalogKey, "groups"],
    ],
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirmLabel="Delete system"
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(system)}
      title={`Delete ${system.name}?`}
    >
      Its contacts, links and group memberships go with it. This cannot be undone.
    </ConfirmDialog>
  );
}
