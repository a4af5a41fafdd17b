import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { catalogKey } from "../api/catalog";
import { deleteTeam, teamsQuery, type Team } from "../api/teams";
import { ListPage, wholeList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { NamedForm, teamDeletion, teamKind } from "./NamedForm";
import { useCatalogPermission } from "./permission";

export function TeamsPage() {
  const { manageTeams } = useCatalogPermission();
  return (
    <ListPage
      create={manageTeams ? (close) => <NamedForm kind={teamKind} onClose={close} /> : undefined}
      description="People who own systems together."
      edit={(team, close) => <NamedForm item={team} kind={teamKind} onClose={close} />}
      editable={() => manageTeams}
      itemKey={({ id }) => id}
      list={wholeList(useQuery(teamsQuery))}
      name={({ name }) => name}
      noun="team"
      removable={() => manageTeams}
      remove={{
        send: deleteTeam,
        invalidates: [catalogKey],
        warning: teamDeletion,
      }}
      row={(team, actions) => (
        <Row
          actions={actions}
          badges={<span className="text-xs text-muted-foreground">{memberCount(team)}</span>}
          detail={team.description || undefined}
          title={
            <Link className="hover:text-primary" params={{ teamId: team.id }} to="/catalog/teams/$teamId">
              {team.name}
            </Link>
          }
        />
      )}
      title="Teams"
    />
  );
}

function memberCount({ memberCount: count }: Team): string {
  return count === 1 ? "1 member" : `${count} members`;
}
