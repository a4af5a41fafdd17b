package catalog

import (
	"context"
	_ "embed"

	"github.com/google/uuid"

	"countersign/tool"
)

//go:embed tool_list_teams.md
var listTeamsText string

type listTeamsInput struct{}

type listTeamsOutput struct {
	Teams []briefTeam `json:"teams"`
}

type briefTeam struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
}

func listTeamsTool() tool.Tool {
	return tool.NewRead(tool.Definition{
		Name: "catalog.listTeams", Description: listTeamsText, Effect: tool.Read, Rules: []string{teamsRead},
	}, func(ctx context.Context, c tool.Caller, _ listTeamsInput) (listTeamsOutput, error) {
		out := listTeamsOutput{Teams: []briefTeam{}}
		_, err := c.Client.Get(ctx, teamsPath, &out)
		return out, err
	})
}
