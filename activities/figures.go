package activities

import (
	"context"

	"countersign/chat/assistant"
	"countersign/model"
)

// figures are what calls have shown of the turn's model, those of this turn included.
func (a *Turn) figures(s *session, sc scope) model.Figures {
	seen, _ := s.Memo.figures.Get()
	known, _ := sc.connection.Figures.Merge(seen)
	return known
}

// measures are the figures of the turn's model with its declared window, as sizes of requests are calculated with them.
func (a *Turn) measures(s *session, sc scope) assistant.Measures {
	known := assistant.MeasuresOf(a.window(s, sc), a.figures(s, sc)).Observed(sc.connection.Client, sc.model)
	known.FirstToken, known.SmallCall = sc.connection.FirstTokenTimeout, sc.connection.SmallCallTimeout
	return known
}

// estimates is the model's context window in estimated tokens.
func (a *Turn) estimates(s *session, sc scope) int { return a.measures(s, sc).Estimates() }

// learn applies figures to the rest of the turn, and stores them with the connection for later turns. Figures that
// could not be stored are learned again.
func (a *Turn) learn(ctx context.Context, s *session, sc scope, seen model.Figures) {
	a.assume(s, seen)
	if sc.connection.Learn == nil {
		return
	}
	if err := sc.connection.Learn(context.WithoutCancel(ctx), sc.model, seen); err != nil {
		a.Log.Warn("Figures of a model not stored", "turn", s.ID, "model", sc.model, "error", err)
	}
}

// assume applies figures to the rest of the turn alone. A window that is guessed, of half the refused request, must not narrow the
// turns of others: each text with more tokens than estimated would halve it again.
func (a *Turn) assume(s *session, seen model.Figures) {
	s.Memo.figures.Update(func(known model.Figures) model.Figures {
		merged, _ := known.Merge(seen)
		return merged
	})
}

// maxTools is how many tools a request may offer: as the connection says, or fewer after a refusal.
func (a *Turn) maxTools(s *session, sc scope) int {
	return assistant.MostTools(sc.connection.MaxTools, a.figures(s, sc).MaxTools)
}

// window is the model's context window in tokens: the connection's, or a smaller one that a refusal has revealed.
func (a *Turn) window(s *session, sc scope) int {
	window := sc.connection.WindowTokens
	if learned := a.figures(s, sc).WindowTokens; learned > 0 && (window <= 0 || learned < window) {
		return learned
	}
	return window
}
