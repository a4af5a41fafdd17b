package connection

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"countersign/internal/store"
	"countersign/model"
	"countersign/modules/connection/connectiondb"
)

// LearnedFigures are figures of one model, learned from calls. All processes apply them.
type LearnedFigures struct {
	Model string `json:"model"`
	model.Figures
}

// maxLearnedFigures limits the models with figures: a connection that allows any model has unboundedly many. Those of the
// model go whose figures were learned least recently, except the default model's.
const maxLearnedFigures = 200

func figuresOf(stored connectiondb.Figures) []LearnedFigures {
	learned := make([]LearnedFigures, 0, len(stored))
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		learned = append(learned, LearnedFigures{Model: name, Figures: stored[name].Figures})
	}
	return learned
}

// FiguresOf returns the figures of a model; zero for one that no call has shown anything of. The number of slots is the
// server's, of which a test has asked with the default model.
func (c Connection) FiguresOf(name string) model.Figures {
	found := c.learnedOf(name)
	if found.Slots == 0 {
		found.Slots = c.learnedOf(c.DefaultModel).Slots
	}
	return found
}

func (c Connection) learnedOf(name string) model.Figures {
	i := slices.IndexFunc(c.LearnedFigures, func(l LearnedFigures) bool { return l.Model == name })
	if i < 0 {
		return model.Figures{}
	}
	return c.LearnedFigures[i].Figures
}

// Learn merges figures of a model into the stored ones ([model.Figures.Merge]), and reports whether it changed them.
// Figures of a connection that was edited meanwhile are dropped. A figure that c has already costs no query.
func (m *Module) Learn(ctx context.Context, c Connection, name string, seen model.Figures) (learned bool, err error) {
	if _, isNew := c.learnedOf(name).Merge(seen); c.Kind == Demo || !isNew {
		return false, nil
	}
	err = m.db.InTx(ctx, func(ctx context.Context) error {
		q := m.queries(ctx)
		stored, err := q.LockFigures(ctx, connectiondb.LockFiguresParams{ID: c.ID, Revision: c.Revision})
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock figures of connection %s: %w", c.ID, err)
		}
		merged, isNew := stored[name].Merge(seen)
		if !isNew {
			return nil
		}
		addFigures(stored, name, merged, c.DefaultModel)
		if err := q.StoreFigures(ctx, connectiondb.StoreFiguresParams{ID: c.ID, Figures: stored}); err != nil {
			return fmt.Errorf("store figures of connection %s: %w", c.ID, err)
		}
		learned = true
		return nil
	})
	return learned && err == nil, err
}

// addFigures stores figures of a model as the newest, in place of the oldest where there are too many.
func addFigures(stored connectiondb.Figures, name string, learned model.Figures, defaultModel string) {
	newest, oldest := int64(0), ""
	for other, f := range stored {
		newest = max(newest, f.Number)
		if other != defaultModel && other != name && (oldest == "" || f.Number < stored[oldest].Number) {
			oldest = other
		}
	}
	stored[name] = connectiondb.LearnedFigures{Figures: learned, Number: newest + 1}
	if len(stored) > maxLearnedFigures {
		delete(stored, oldest)
	}
}

// forgetFigures clears a figure of all models; models without any other lose their entry.
func forgetFigures(stored connectiondb.Figures, forget func(*model.Figures)) connectiondb.Figures {
	kept := connectiondb.Figures{}
	for name, f := range stored {
		if forget(&f.Figures); f.Figures != (model.Figures{}) {
			kept[name] = f
		}
	}
	return kept
}
