package connection

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/rest"
	"countersign/modules/connection/connectiondb"
)

// loosenedInput is the input that decides the default: the oldest enabled connection, unless one was chosen.
type loosenedInput struct {
	ID      uuid.UUID `json:"id"`
	Enabled *bool     `json:"enabled"`
}

// createLoosening applies the policy of choosing the default to a new connection that becomes it.
func (m *Module) createLoosening(ctx context.Context, input json.RawMessage, set []string) (rest.Loosening, error) {
	return m.covering(ctx, input, set, func(rows []connectiondb.AiConnection, in loosenedInput) []connectiondb.AiConnection {
		made := connectiondb.AiConnection{Kind: OpenAICompatible, Enabled: in.Enabled == nil || *in.Enabled}
		// Connections are ordered as by the query: the demo model is last, unless it was chosen.
		at := slices.IndexFunc(rows, func(r connectiondb.AiConnection) bool { return r.Kind == Demo && !r.IsDefault })
		if at < 0 {
			at = len(rows)
		}
		return slices.Insert(rows, at, made)
	})
}

// updateLoosening does so for enabling and disabling.
func (m *Module) updateLoosening(ctx context.Context, input json.RawMessage, set []string) (rest.Loosening, error) {
	return m.covering(ctx, input, set, func(rows []connectiondb.AiConnection, in loosenedInput) []connectiondb.AiConnection {
		for i := range rows {
			if rows[i].ID == in.ID && in.Enabled != nil {
				rows[i].Enabled = *in.Enabled
			}
		}
		return rows
	})
}

// deleteLoosening does so for deleting the default.
func (m *Module) deleteLoosening(ctx context.Context, input json.RawMessage, set []string) (rest.Loosening, error) {
	return m.covering(ctx, input, set, func(rows []connectiondb.AiConnection, in loosenedInput) []connectiondb.AiConnection {
		return slices.DeleteFunc(rows, func(r connectiondb.AiConnection) bool { return r.ID == in.ID })
	})
}

// covering returns the policy of choosing the default if the change gives the default to another connection.
func (m *Module) covering(
	ctx context.Context, input json.RawMessage, set []string,
	change func([]connectiondb.AiConnection, loosenedInput) []connectiondb.AiConnection,
) (rest.Loosening, error) {
	covers := rest.Loosening{Covers: []string{setDefaultTool}}
	if !slices.Contains(set, setDefaultTool) {
		return rest.Loosening{}, nil
	}
	var in loosenedInput
	if err := json.Unmarshal(input, &in); err != nil {
		return covers, nil //nolint:nilerr // the operation refuses what it cannot read
	}
	rows, err := m.queries(ctx).Connections(ctx)
	if err != nil {
		return rest.Loosening{}, fmt.Errorf("find the default connection: %w", err)
	}
	if before := defaultOf(rows); defaultOf(change(rows, in)) != before {
		return covers, nil
	}
	return rest.Loosening{}, nil
}

// defaultOf returns the id of the default in query order; zero for one not created yet and uuid.Max for none, so that
// they differ.
func defaultOf(rows []connectiondb.AiConnection) uuid.UUID {
	i := slices.IndexFunc(rows, func(r connectiondb.AiConnection) bool { return r.Enabled })
	if i < 0 {
		return uuid.Max
	}
	return rows[i].ID
}
