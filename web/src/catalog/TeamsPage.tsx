import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { catalogKey } from "../api/catalog";
import { createTeam, deleteTeam, teamsQuery, updateTeam } from "../api/teams";
import { NamedList } from "./NamedList";
import { useCatalogPermission } from "./permission";

export function TeamsPage() {
  const { data: teams, error, refetch } = useQuery(teamsQuery);
  return (
    <NamedList
      create={createTeam}
      deleteWarning="What the team owns stays, without this owner. This cannot be undone."
      description="People who own systems together."
      editable={useCatalogPermission().manageTeams}
      error={error}
      invalidates={[catalogKey]}
      noun="team"
      onRetry={() => void refetch()}
      remove={deleteTeam}
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
