package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/modules/connection"
	"countersign/modules/modelcheck"
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
		Known: func(model string) assistant.Measures {
			known := assistant.MeasuresOf(found.WindowOf(model), found.FiguresOf(model))
			if found.FirstTokenSeconds != nil {
				known.FirstToken = time.Duration(*found.FirstTokenSeconds) * time.Second
			}
			return known
		},
	}
	return connected, nil
}

// requested returns the model with this name, listed or not: a model may be checked before it is listed.
func requested(c connection.Connection, model string) string {
	if model == "" {
		return c.DefaultModel
	}
	return model
}
