package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

type listTeamsOutput struct {
	Teams []briefTeam `json:"teams"`
}

type briefTeam struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
}

func listTeamsTool() tool.Tool {
	return kit.NewRead(
		kit.Define(texts, "catalog.listTeams", tool.Read, teamsRead),
		func(ctx context.Context, c tool.Caller, _ struct{}) (listTeamsOutput, error) {
			teams, _, err := kit.Page[briefTeam](ctx, c, teamsAPI.Path, "teams", nil)
			return listTeamsOutput{Teams: teams}, err
		},
	)
}
