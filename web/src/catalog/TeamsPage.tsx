import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { catalogKey } from "../api/catalog";
import { createTeam, deleteTeam, teamsQuery, updateTeam, type Team } from "../api/teams";
import { NamedList } from "./NamedList";
import { useCatalogPermission } from "./permission";

export function TeamsPage() {
  const { data: teams, error, refetch } = useQuery(teamsQuery);
  const { manageTeams } = useCatalogPermission();
  const manageable = () => manageTeams;
  return (
    <NamedList
      creatable={manageTeams}
      create={createTeam}
      deletable={manageable}
      deleteWarning="What the team owns stays, without this owner. This cannot be undone."
      description="People who own systems together."
      editable={manageable}
      error={error}
      invalidates={[catalogKey]}
      noun="team"
      onRetry={() => void refetch()}
      remove={deleteTeam}
      rowBadges={(team) => <span className="text-xs text-muted-foreground">{memberCount(team)}</span>}
      rowTitle={(team) => (
        <Link className="hover:text-primary" params={{ teamId: team.id }} to="/catalog/teams/$teamId">
          {team.name}
        </Link>
      )}
      things={teams}
      title="Teams"
      update={updateTeam}
    />
  );
}

function memberCount({ memberCount: count }: Team): string {
  return count === 1 ? "1 member" : `${count} members`;
}
