import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { catalogKey } from "../api/catalog";
import { usePeople } from "../api/findpeople";
import { memberSchema } from "../api/forms/people";
import { notificationRules } from "../api/notifications";
import { holds, meQuery } from "../api/session";
import { addTeamMember, deleteTeam, removeTeamMember, teamQuery, teamsKey, type Team } from "../api/teams";
import { useWrite } from "../api/write";
import { Channels } from "../notifications/Channels";
import { Button } from "../ui/Button";
import { ComboboxField } from "../ui/Combobox";
import { DetailPage } from "../ui/DetailPage";
import { FormPage } from "../ui/FormPage";
import { IconButton } from "../ui/IconButton";
import { EmptyState, ErrorNotice } from "../ui/Notice";
import { useRecordForm } from "../ui/recordform";
import { Row, Rows } from "../ui/Rows";
import type { Crumb } from "../ui/Trail";
import { NamedForm, teamDeletion, teamKind } from "./NamedForm";
import { useCatalogPermission } from "./permission";
import { SystemList } from "./SystemList";

const route = getRouteApi("/app/catalog/teams/$teamId");
const trail: Crumb[] = [{ label: "Teams", link: { to: "/catalog/teams" } }];

export function TeamPage() {
  const { teamId } = route.useParams();
  const { manageTeams: editable } = useCatalogPermission();
  const { data: me } = useQuery(meQuery);
  const reads = holds(me, notificationRules.channelRead) || holds(me, notificationRules.channelManage);
  const [adding, setAdding] = useState(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return (
    <DetailPage
      description={({ description }) => description || "No description"}
      edit={(team, close) => <NamedForm item={team} kind={teamKind} onClose={close} />}
      editable={() => editable}
      history={({ id }) => ({ type: "auth.team", id })}
      mainAction={() =>
        editable && (
          <Button data-testid="add-member" icon="plus" onClick={() => setAdding(true)} variant="primary">
            Add member
          </Button>
        )
      }
      name={({ name }) => name}
      noun="team"
      onDeleted={async () => {
        await navigate({ to: "/catalog/teams" });
        // Not before: the team itself would be read again.
        void queryClient.invalidateQueries({ queryKey: teamsKey });
      }}
      query={useQuery(teamQuery(teamId))}
      removable={() => editable}
      remove={{ send: deleteTeam, invalidates: [catalogKey], warning: teamDeletion }}
      trail={trail}
    >
      {(team) => (
        <>
          <section className="flex flex-col gap-3">
            <h2 className="font-semibold">Members</h2>
            <Members editable={editable} team={team} />
          </section>
          {reads && (
            <Channels
              editable={holds(me, notificationRules.channelManage)}
              hint="They are sent what the team may see. Members and administrators set them up."
              owner={{ kind: "team", id: team.id }}
              title="Notification channels"
            />
          )}
          {<SystemList empty="This team owns no system." filter={{ teamId: team.id }} />}
          {adding && <MemberForm onClose={() => setAdding(false)} team={team} />}
        </>
      )}
    </DetailPage>
  );
}

function Members({ team, editable }: { team: Team; editable: boolean }) {
  const members = team.members ?? [];
  const remove = useWrite({
    send: (userId: string, key) => removeTeamMember(team.id, userId, key),
    invalidates: [catalogKey],
  });
  return (
    <>
      <ErrorNotice error={remove.error} />
      {members.length === 0 && <EmptyState title="No members yet" />}
      {members.length > 0 && (
        <Rows itemKey={({ id }) => id} items={members} label="Members">
          {(member) => (
            <Row
              actions={
                editable && (
                  <IconButton
                    busy={remove.isPending}
                    icon="close"
                    label={`Remove ${member.name}`}
                    onClick={() => remove.mutate(member.id)}
                  />
                )
              }
              detail={member.email}
              title={member.name}
            />
          )}
        </Rows>
      )}
    </>
  );
}

function MemberForm({ team, onClose }: { team: Team; onClose: () => void }) {
  const { people, onType, looking, error } = usePeople();
  const member = new Set((team.members ?? []).map(({ id }) => id));
  const form = useRecordForm({
    tool: "auth.addTeamMember",
    schema: memberSchema,
    values: () => ({ userId: "" }),
    send: ({ userId }, _, key) => addTeamMember(team.id, userId, key),
    invalidates: [catalogKey],
    onSaved: onClose,
  });
  return (
    <FormPage error={error} form={form} onClose={onClose} submitLabel="Add" title={`Add a member to ${team.name}`}>
      <ComboboxField
        control={form.control}
        label="Person"
        looking={looking}
        name="userId"
        onType={onType}
        options={people
          ?.filter(({ id }) => !member.has(id))
          .map(({ id, name, email }) => ({ value: id, label: name, detail: email }))}
        placeholder="Choose a person"
        required
      />
    </FormPage>
  );
}
