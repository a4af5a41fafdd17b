import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { catalogKey } from "../api/catalog";
import { usersQuery } from "../api/people";
import { addTeamMember, removeTeamMember, teamQuery, type Team } from "../api/teams";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { SelectField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { IconButton } from "../ui/IconButton";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { useCatalogPermission } from "./permission";

const route = getRouteApi("/app/catalog/teams/$teamId");

export function TeamPage() {
  const { teamId } = route.useParams();
  const { data: team, error, refetch } = useQuery(teamQuery(teamId));
  if (team) return <TeamDetail team={team} />;
  return (
    <Page title="Team">{error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows />}</Page>
  );
}

function TeamDetail({ team }: { team: Team }) {
  const editable = useCatalogPermission().manageTeams;
  const [adding, setAdding] = useState(false);
  const members = team.members ?? [];
  const remove = useWrite({
    send: (userId: string, key) => removeTeamMember(team.id, userId, key),
    invalidates: [catalogKey],
  });
  return (
    <Page
      actions={
        editable && (
          <Button data-testid="add-member" icon="plus" onClick={() => setAdding(true)} variant="primary">
            Add member
          </Button>
        )
      }
      description={team.description || "No description"}
      testId="team-page"
      title={team.name}
    >
      <p className="-mt-2 text-sm text-muted-foreground">
        <Link className="underline underline-offset-2" to="/catalog/teams">
          All teams
        </Link>
      </p>
      <ErrorNotice error={remove.error} />
      {members.length === 0 && <EmptyState title="No members yet" />}
      {members.length > 0 && (
        <Rows label="Members">
          {members.map((member) => (
            <Row
              actions={
                editable && (
                  <IconButton
                    disabled={remove.isPending}
                    icon="close"
                    label={`Remove ${member.name}`}
                    onClick={() => remove.mutate(member.id)}
                  />
                )
              }
              detail={member.email}
              key={member.id}
              title={member.name}
            />
          ))}
        </Rows>
      )}
      {adding && <MemberForm onClose={() => setAdding(false)} team={team} />}
    </Page>
  );
}

function MemberForm({ team, onClose }: { team: Team; onClose: () => void }) {
  const { data: users, error } = useQuery(usersQuery);
  const [userId, setUserId] = useState("");
  const member = new Set((team.members ?? []).map(({ id }) => id));
  const add = useWrite({
    send: (id: string, key) => addTeamMember(team.id, id, key),
    invalidates: [catalogKey],
    onSuccess: onClose,
  });
  return (
    <FormDialog
      busy={add.isPending}
      error={add.error ?? error}
      onClose={onClose}
      onSubmit={() => add.mutate(userId)}
      submitLabel="Add"
      title={`Add a member to ${team.name}`}
    >
      <SelectField label="Person" onChange={(event) => setUserId(event.currentTarget.value)} required value={userId}>
        <option value="">Choose a person</option>
        {users
          ?.filter((user) => !member.has(user.id))
          .map((user) => (
            <option key={user.id} value={user.id}>
              {user.name} ({user.email})
            </option>
          ))}
      </SelectField>
    </FormDialog>
  );
}
