package connection

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/model"
	"countersign/modules/connection/connectiondb"
)

// LearnedQuirk is a request setting learned from a refusal of the provider, for one of its models. All processes apply it.
type LearnedQuirk struct {
	Model       string `json:"model"`
	Quirk       string `json:"lesson" doc:"Its name"`
	Description string `json:"says" doc:"What it means, for a person"`
}

// maxLearnedQuirks limits the stored quirks, of which the oldest go: a connection that allows any model has unboundedly
// many.
const maxLearnedQuirks = 200

// noQuirks is the initial value.
var noQuirks = json.RawMessage("[]")

// quirksOf parses the stored quirks and skips kinds that this version does not know.
func quirksOf(stored json.RawMessage) []LearnedQuirk {
	lessons := []LearnedQuirk{}
	var learned []model.ModelQuirk
	if json.Unmarshal(stored, &learned) != nil {
		return lessons
	}
	for _, l := range learned {
		if says := l.Quirk.Description(); says != "" {
			lessons = append(lessons, LearnedQuirk{Model: l.Model, Quirk: string(l.Quirk), Description: says})
		}
	}
	return lessons
}

// ModelQuirks converts the quirks for a model client.
func (c Connection) ModelQuirks() []model.ModelQuirk {
	learned := make([]model.ModelQuirk, len(c.LearnedQuirks))
	for i, l := range c.LearnedQuirks {
		learned[i] = model.ModelQuirk{Model: l.Model, Quirk: model.Quirk(l.Quirk)}
	}
	return learned
}

// AddQuirks stores quirks of a provider, unless the connection was edited since.
func (m *Module) AddQuirks(ctx context.Context, c Connection, learned []model.ModelQuirk) error {
	if c.Kind == Demo {
		return nil
	}
	raw, err := json.Marshal(learned)
	if err != nil {
		return fmt.Errorf("encode lessons: %w", err)
	}
	err = m.queries(ctx).AddLessons(ctx, connectiondb.AddLessonsParams{
		ID: c.ID, Revision: c.Revision, Learned: raw, Most: maxLearnedQuirks,
	})
	if err != nil {
		return fmt.Errorf("store lessons of connection %s: %w", c.ID, err)
	}
	return nil
}
