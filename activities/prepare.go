package activities

import (
	"context"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/model"
	"countersign/problem"
	"countersign/secret/scrub"
	"countersign/telemetry"
	"countersign/tool/spend"
	"countersign/workflows"
)

// summaryCalls bounds how many model calls one turn spends on its summary.
const summaryCalls = 6

// PrepareTurn gets a turn ready for its first model call: a new conversation gets its name, unless a verdict about the message
// comes first, and a long one a summary of its oldest part. Whatever fails here is left out.
func (a *Turn) PrepareTurn(ctx context.Context, in workflows.PrepareTurnInput) (workflows.PrepareTurnOutput, error) {
	s, leave, over, err := a.enter(ctx, in.TurnID, 0, 0)
	if over || err != nil {
		return workflows.PrepareTurnOutput{Over: over}, err
	}
	defer leave()
	return workflows.PrepareTurnOutput{}, a.prepare(ctx, s)
}

// prepare does its work once a session, and not for a turn that has begun before.
func (a *Turn) prepare(ctx context.Context, s *session) error {
	_, err := s.Memo.prepared.Once(func() (done struct{}, err error) {
		if s.Step(1).Model != nil || s.IsStopped() {
			return done, nil
		}
		sc, err := a.scope(ctx, s)
		if problem.CodeOf(err) == problem.Internal {
			return done, hostFailure("prepare turn", err)
		}
		if err != nil {
			// The first step says why the turn cannot be answered.
			return done, nil
		}
		ctx, cancel := s.Context(ctx)
		defer cancel()
		if !needsVerdict(s, sc) {
			a.nameConversation(ctx, s, sc)
		}
		a.compact(ctx, s, sc)
		return done, nil
	})
	return err
}

// nameConversation names a conversation better than the first words that say something do, beside the turn. A name that
// never comes, because the process died or the model failed, leaves those words.
func (a *Turn) nameConversation(began context.Context, s *session, sc scope) {
	message := s.Question()
	if a.Detach == nil || !s.Opens() || !assistant.NeedsTitle(message) {
		return
	}
	a.Detach(func(ctx context.Context) {
		ctx = telemetry.Continue(ctx, began)
		system, user := assistant.Title(message)
		raw, err := a.ask(
			ctx,
			s,
			sc,
			question{purpose: spend.Title, system: system, user: user, tokens: assistant.TitleTokens, patience: titlePatience},
		)
		if err != nil {
			a.Log.Info("Conversation not named by the model", "turn", s.ID, "error", err)
			return
		}
		name := assistant.BetterTitle(message, scrub.Text(raw))
		if name == "" {
			return
		}
		if _, err := s.NameConversation(ctx, assistant.HeuristicTitle(message), name); err != nil {
			a.Log.Warn("Name of conversation not stored", "turn", s.ID, "error", err)
		}
	})
}

// compact puts the oldest messages of a conversation that has become too long into its running summary. What could not
// be put there is left out when the request is made.
func (a *Turn) compact(ctx context.Context, s *session, sc scope) {
	a.summarize(ctx, s, sc, ahead{whole: true})
}

// compactAhead does it beside the turn once that is over, for the next one: so long before nothing fits any more that
// there is room for what comes, whose first words then wait for no summary. What does not come about, because the
// process is busy or stops, the next turn does.
func (a *Turn) compactAhead(began context.Context, s *session) {
	sc, known := s.Memo.scope.Get()
	if a.Detach == nil || !known {
		return
	}
	a.Detach(func(ctx context.Context) {
		a.summarize(telemetry.Continue(ctx, began), s, sc, ahead{answer: assistant.EstimateTokens(s.Messages()), number: 2 * summaryCalls})
	})
}

// ahead says what a summary makes room for: for the conversation as it is, in the whole of the room, or for what comes behind the answer.
type ahead struct {
	whole bool
	// answer is how many tokens the turn adds to the conversation, number that of the first model call.
	answer, number int
}

func (a *Turn) summarize(ctx context.Context, s *session, sc scope, next ahead) {
	for call := range summaryCalls {
		rows := s.Rows()
		sizes, cuts, room := sizesOf(rows), cutsOf(rows), a.frame(s, sc).room
		if !next.whole {
			sizes, cuts, room = append(sizes, next.answer), append(cuts, false), room*3/4
		}
		excess := assistant.Compaction(sizes, cuts, room)
		if excess == 0 {
			return
		}
		oldest := make([][]model.Message, excess)
		for i, row := range rows[:excess] {
			oldest[i] = row.Messages
		}
		system, user, taken := assistant.Summary(s.Summary(), oldest)
		// What is left must begin with a person's message.
		for taken > 1 && !cuts[taken] {
			taken--
		}
		raw, err := a.ask(ctx, s, sc, question{
			purpose:  spend.Summary,
			number:   next.number + call,
			system:   system,
			user:     user,
			tokens:   assistant.SummaryTokens,
			patience: summaryPatience,
		})
		notes := assistant.CleanSummary(scrub.Text(raw))
		if err == nil && notes != "" {
			err = s.Summarize(ctx, taken, notes)
		}
		if err != nil || notes == "" {
			a.Log.Warn("Conversation not summarized", "turn", s.ID, "error", err)
			return
		}
	}
}

func sizesOf(rows []turn.Row) []int {
	sizes := make([]int, len(rows))
	for i, row := range rows {
		sizes[i] = assistant.EstimateTokens(row.Messages)
	}
	return sizes
}

// cutsOf says before which rows a conversation can be cut: a person's message.
func cutsOf(rows []turn.Row) []bool {
	cuts := make([]bool, len(rows))
	for i, row := range rows {
		cuts[i] = row.Messages[0].Role == model.RoleUser
	}
	return cuts
}
