package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/modules/connection"
	"countersign/modules/modelcheck"
	"countersign/modules/modelcheck/suite"
	"countersign/modules/toolsearch"
	"countersign/tool"
)

// checked adapts connections to package modelcheck.
type checked struct{ *connections }

// Checked implements modelcheck.Connections.
func (c checked) Checked(ctx context.Context, id uuid.UUID) (modelcheck.Connection, error) {
	found, err := c.ForCheck(ctx, id)
	if err != nil {
		return modelcheck.Connection{}, err
	}
	client, err := c.client(found)
	if err != nil {
		return modelcheck.Connection{}, err
	}
	connected := modelcheck.Connection{
		ID: found.ID, Name: found.Name, Family: found.ModelFamily, Cap: found.Cap(), Client: client,
		Resolve: func(model string) string { return requested(found, model) },
		Known: func(model string) (assistant.Measures, int) {
			seen, set := found.FiguresOf(model), 0
			known := assistant.MeasuresOf(found.WindowOf(model), seen)
			if found.FirstTokenSeconds != nil {
				known.FirstToken = time.Duration(*found.FirstTokenSeconds) * time.Second
			}
			if found.MaxTools != nil {
				set = *found.MaxTools
			}
			return known, assistant.MostTools(set, seen.MaxTools)
		},
		Learn: c.learnFigures(found),
	}
	return connected, nil
}

// SearchTools is the search for tools among those of a situation of a model check.
func SearchTools(all []suite.Tool, query string, room tool.Room) any {
	listed := make([]toolsearch.Listing, len(all))
	for i, t := range all {
		listed[i] = toolsearch.Listing{Name: t.Name, Description: t.Description, Effect: t.Effect, InputSchema: t.Input.JSON()}
	}
	return toolsearch.Find(listed, query, room)
}

// requested returns the model with this name, listed or not: a model may be checked before it is listed.
func requested(c connection.Connection, model string) string {
	if model == "" {
		return c.DefaultModel
	}
	return model
}
