package connection

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/model"
	"countersign/modules/connection/connectiondb"
)

// Lesson is a request setting learned from a refusal of the provider, for one of its models. All processes apply it.
type Lesson struct {
	Model  string `json:"model"`
	Lesson string `json:"lesson" doc:"Its name"`
	Says   string `json:"says" doc:"What it means, for a person"`
}

// maxLessons limits the stored lessons: a connection that allows any model has unboundedly many.
const maxLessons = 200

// emptyLessons is the initial value.
var emptyLessons = json.RawMessage("[]")

// lessonsOf parses the stored lessons and skips kinds that this version does not know.
func lessonsOf(stored json.RawMessage) []Lesson {
	lessons := []Lesson{}
	var learned []model.ModelQuirk
	if json.Unmarshal(stored, &learned) != nil {
		return lessons
	}
	for _, l := range learned {
		if says := l.Quirk.Description(); says != "" {
			lessons = append(lessons, Lesson{Model: l.Model, Lesson: string(l.Quirk), Says: says})
		}
	}
	return lessons
}

// Learned converts the lessons for a model client.
func (c Connection) Learned() []model.ModelQuirk {
	learned := make([]model.ModelQuirk, len(c.Lessons))
	for i, l := range c.Lessons {
		learned[i] = model.ModelQuirk{Model: l.Model, Quirk: model.Quirk(l.Lesson)}
	}
	return learned
}

// Learn stores lessons of a provider, unless the connection's address has changed.
func (m *Module) Learn(ctx context.Context, c Connection, learned []model.ModelQuirk) error {
	if c.Kind == Demo {
		return nil
	}
	raw, err := json.Marshal(learned)
	if err != nil {
		return fmt.Errorf("encode lessons: %w", err)
	}
	_, err = m.queries(ctx).AddLessons(ctx, connectiondb.AddLessonsParams{ID: c.ID, BaseUrl: c.BaseURL, Learned: raw, Most: maxLessons})
	if err != nil {
		return fmt.Errorf("store lessons of connection %s: %w", c.ID, err)
	}
	return nil
}
