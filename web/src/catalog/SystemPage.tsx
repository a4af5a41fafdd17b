import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { catalogKey, deleteSystem, systemQuery } from "../api/catalog";
import { SystemHealthPanel } from "../health/SystemHealthPanel";
import { SystemMemories } from "../memory/SystemMemories";
import { Badge } from "../ui/Badge";
import { changedAt, DetailPage, type Crumb } from "../ui/DetailPage";
import { Panel } from "../ui/Page";
import { useToast } from "../ui/Toast";
import { mayEdit, mayOwn } from "./permission";
import { SystemContacts } from "./SystemContacts";
import { SystemEnvironments } from "./SystemEnvironments";
import { SystemForm } from "./SystemForm";
import { SystemGroups } from "./SystemGroups";
import { SystemLinks } from "./SystemLinks";
import { SystemOwner } from "./SystemOwner";

const route = getRouteApi("/app/catalog/systems/$systemId");
const trail: Crumb[] = [{ label: "Systems", link: { to: "/catalog/systems", search: {} } }];

export function SystemPage() {
  const { systemId } = route.useParams();
  const navigate = useNavigate();
  const toast = useToast();
  return (
    <DetailPage
      badges={(system) => system.tags?.map((tag) => <Badge key={tag}>{tag}</Badge>)}
      description={({ description }) => description || "No description"}
      edit={(system, close) => (
        <SystemForm
          onClose={close}
          onSaved={() => {
            toast("Saved");
            close();
          }}
          system={system}
        />
      )}
      editable={mayEdit}
      history={({ id }) => ({ type: "catalog.system", id })}
      name={({ name }) => name}
      noun="system"
      onDeleted={() => navigate({ to: "/catalog/systems", search: {} })}
      origin={changedAt}
      query={useQuery(systemQuery(systemId))}
      removable={mayOwn}
      remove={{
        send: deleteSystem,
        tool: "catalog.deleteSystem",
        // Not the system itself, which need not be read again.
        invalidates: [
          [...catalogKey, "systems"],
          [...catalogKey, "groups"],
        ],
        warning: "Its contacts, links and group memberships go with it. This cannot be undone.",
      }}
      trail={trail}
    >
      {(system) => (
        <div className="grid gap-4 md:grid-cols-2">
          <SystemHealthPanel systemId={system.id} />
          <SystemOwner system={system} />
          <Metadata metadata={system.metadata ?? {}} />
          <SystemContacts editable={mayEdit(system)} system={system} />
          <SystemLinks editable={mayEdit(system)} system={system} />
          <SystemEnvironments editable={mayEdit(system)} system={system} />
          <SystemGroups system={system} />
          <div className="md:col-span-2">
            <SystemMemories system={system} />
          </div>
        </div>
      )}
    </DetailPage>
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
