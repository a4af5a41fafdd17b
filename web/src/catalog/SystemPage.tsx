import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { catalogKey, systemQuery } from "../api/catalog";
import { deleteSystem } from "../api/catalogcalls";
import { SystemHealthPanel } from "../health/SystemHealthPanel";
import { SystemMemories } from "../memory/SystemMemories";
import { besidePage } from "../ui/beside";
import { changedAt, DetailPage } from "../ui/DetailPage";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { backWords, useBringBack } from "./bringback";
import { TagLinks } from "./links";
import { Metadata } from "./Metadata";
import { mayEdit, mayOwn } from "./permission";
import { SystemContacts } from "./SystemContacts";
import { SystemEnvironments } from "./SystemEnvironments";
import { SystemGroups } from "./SystemGroups";
import { SystemLinks } from "./SystemLinks";
import { SystemOwner } from "./SystemOwner";

const route = getRouteApi("/app/catalog/systems/$systemId");
const [SystemForm, useFormAhead] = besidePage(async () => (await import("./SystemForm")).SystemForm);
const trail: Crumb[] = [{ label: "Systems", link: { to: "/catalog/systems", search: {} } }];

export function SystemPage() {
  const back = useBringBack().system;
  const { systemId } = route.useParams();
  const navigate = useNavigate();
  const toast = useToast();
  const query = useQuery(systemQuery(systemId));
  useFormAhead(query.data !== undefined && mayEdit(query.data));
  return (
    <DetailPage
      badges={(system) => system.tags?.length > 0 && <TagLinks tags={system.tags} />}
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
      query={query}
      removable={mayOwn}
      remove={{
        send: deleteSystem,
        tool: "catalog.deleteSystem",
        invalidates: [catalogKey],
        again: back,
        warning:
          "Its contacts, links, group memberships, memories and health check results are deleted " +
          `too.${backWords(back, "its grants, memories, health checks and history")}`,
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
