package connection

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/model"
	"countersign/modules/connection/connectiondb"
)

// Lesson is what a refusal of the provider has taught about one of its models. Each process asks it so from then on.
type Lesson struct {
	Model  string `json:"model"`
	Lesson string `json:"lesson" doc:"Its name"`
	Says   string `json:"says" doc:"What it means, for a person"`
}

// maxLessons bounds what is stored: a connection that allows any model could be asked for any number of them.
const maxLessons = 200

// noLessons is what a connection begins with.
var noLessons = json.RawMessage("[]")

// lessonsOf reads what is stored. What this version does not know is left out.
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

// Learned are the lessons as a client knows them.
func (c Connection) Learned() []model.ModelQuirk {
	learned := make([]model.ModelQuirk, len(c.Lessons))
	for i, l := range c.Lessons {
		learned[i] = model.ModelQuirk{Model: l.Model, Quirk: model.Quirk(l.Lesson)}
	}
	return learned
}

// Learn stores what the provider of a connection has taught, unless the connection leads elsewhere by now.
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
