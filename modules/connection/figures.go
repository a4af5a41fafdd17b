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

// maxLearnedFigures limits the models with figures: a connection that allows any model has unboundedly many.
const maxLearnedFigures = 200

func figuresOf(stored connectiondb.Figures) []LearnedFigures {
	learned := make([]LearnedFigures, 0, len(stored))
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		learned = append(learned, LearnedFigures{Model: name, Figures: stored[name]})
	}
	return learned
}

// FiguresOf returns the figures of a model; zero for one that no call has shown anything of.
func (c Connection) FiguresOf(name string) model.Figures {
	i := slices.IndexFunc(c.LearnedFigures, func(l LearnedFigures) bool { return l.Model == name })
	if i < 0 {
		return model.Figures{}
	}
	return c.LearnedFigures[i].Figures
}

// Learn merges figures of a model into the stored ones ([model.Figures.Merge]), and reports whether it changed them.
// Figures of a connection that was edited meanwhile are dropped. A figure that c has already costs no query.
func (m *Module) Learn(ctx context.Context, c Connection, name string, seen model.Figures) (learned bool, err error) {
	if _, isNew := c.FiguresOf(name).Merge(seen); c.Kind == Demo || !isNew {
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
		known, isKnown := stored[name]
		merged, isNew := known.Merge(seen)
		if !isNew || !isKnown && len(stored) >= maxLearnedFigures {
			return nil
		}
		stored[name] = merged
		if err := q.StoreFigures(ctx, connectiondb.StoreFiguresParams{ID: c.ID, Figures: stored}); err != nil {
			return fmt.Errorf("store figures of connection %s: %w", c.ID, err)
		}
		learned = true
		return nil
	})
	return learned && err == nil, err
}

// forgetFigures clears a figure of all models; models without any other lose their entry.
func forgetFigures(stored connectiondb.Figures, forget func(*model.Figures)) connectiondb.Figures {
	kept := connectiondb.Figures{}
	for name, f := range stored {
		if forget(&f); f != (model.Figures{}) {
			kept[name] = f
		}
	}
	return kept
}
