package activities

import (
	"context"
	"slices"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/telemetry"
	"countersign/model"
	"countersign/tool/spend"
	"countersign/workflows"
)

// summaryCalls bounds how many model calls one turn spends on its summary.
const summaryCalls = 6

// PrepareTurn prepares a turn for its first model call: it names a new conversation, unless a verdict about the message
// comes first, and summarizes the oldest part of a long one. A failed part is left out.
func (a *Turn) PrepareTurn(ctx context.Context, in workflows.PrepareTurnInput) (workflows.PrepareTurnOutput, error) {
	s, leave, over, err := a.enter(ctx, in.TurnID, 0, 0)
	if over || err != nil {
		return workflows.PrepareTurnOutput{Over: over}, err
	}
	defer leave()
	return workflows.PrepareTurnOutput{}, a.prepare(ctx, s)
}

// prepare does the work of PrepareTurn once a session, and not for a turn that has model records.
func (a *Turn) prepare(ctx context.Context, s *session) error {
	_, err := s.Memo.prepared.GetOrCompute(func() (done struct{}, err error) {
		if s.Step(1).Model != nil || s.IsStopped() {
			return done, nil
		}
		sc, err := a.scope(ctx, s)
		if problem.CodeOf(err) == problem.Internal {
			return done, serverError("prepare turn", err)
		}
		if err != nil {
			// The first step says why the turn cannot be answered.
			return done, nil
		}
		ctx, cancel := s.Context(ctx)
		defer cancel()
		if !a.needsVerdict(s, sc) {
			a.nameConversation(ctx, s, sc)
		}
		a.compact(ctx, s, sc)
		return done, nil
	})
	return err
}

// nameConversation replaces the heuristic name of a conversation by the model's, beside the turn. The heuristic name
// stays after a failure. A conversation of a run has no name.
func (a *Turn) nameConversation(began context.Context, s *session, sc scope) {
	message := s.Question()
	if a.Detach == nil || sc.run != nil || !s.StartsTopic() || !assistant.NeedsTitle(message) {
		return
	}
	named := make(chan struct{})
	s.Memo.named.Put(named)
	a.Detach(func(ctx context.Context) {
		defer close(named)
		ctx = telemetry.Continue(ctx, began)
		system, user := assistant.Title(message)
		response, err := a.ask(
			ctx,
			s,
			sc,
			smallRequest{purpose: spend.Title, system: system, user: user, tokens: assistant.TitleTokens, time: assistant.TitleTime},
		)
		if err != nil {
			a.Log.Info("Conversation not named by the model", "turn", s.ID, "error", err)
			return
		}
		name := assistant.BetterTitle(message, scrub.Text(response.Answer()))
		if name == "" {
			return
		}
		if _, err := s.NameConversation(ctx, assistant.HeuristicTitle(message), name); err != nil {
			a.Log.Warn("Name of conversation not stored", "turn", s.ID, "error", err)
		}
	})
}

// compact moves the oldest messages of a conversation that is too long into its running summary. Messages that it could
// not summarize are left out of the request, and the person reads so.
func (a *Turn) compact(ctx context.Context, s *session, sc scope) {
	a.summarizeNow(ctx, s, sc, summaryGoal{})
}

// compactForStep compacts before a later step of a turn, whose results take the room of earlier messages. After a
// failure it leaves the rest of the turn alone.
func (a *Turn) compactForStep(ctx context.Context, s *session, sc scope, step int) {
	if failed, _ := s.Memo.summaryFailed.Get(); failed || step == 1 || s.Step(step).Model != nil {
		return
	}
	a.summarizeNow(ctx, s, sc, summaryGoal{answer: assistant.EstimateTokens(s.Messages()), number: 2 * summaryCalls * step})
}

// compactForNext compacts for the next turn after this one has ended, early enough that the next turn's first words
// wait for no summary. When the process is busy or stops, the next turn does the work.
func (a *Turn) compactForNext(began context.Context, s *session) {
	sc, known := s.Memo.scope.Get()
	if a.Detach == nil || !known {
		return
	}
	a.Detach(func(ctx context.Context) {
		a.summarize(telemetry.Continue(ctx, began), s, sc, summaryGoal{
			free: true, answer: assistant.EstimateTokens(s.Messages()), number: 2 * summaryCalls,
		})
	})
}

// summaryGoal says what a summary makes room for.
type summaryGoal struct {
	// answer is the number of tokens that the turn adds to the conversation, number that of the first model call.
	answer, number int
	// free keeps a quarter of the room free, for the next turn's message.
	free bool
}

// summarizeNow lets the turn wait for its summaries, for all of them no longer than for one.
func (a *Turn) summarizeNow(ctx context.Context, s *session, sc scope, next summaryGoal) {
	ctx, cancel := context.WithTimeout(ctx, assistant.SummaryTime.Most)
	defer cancel()
	a.summarize(ctx, s, sc, next)
}

func (a *Turn) summarize(ctx context.Context, s *session, sc scope, next summaryGoal) {
	window := a.estimates(s, sc)
	thinks, _ := sc.connection.Client.Thinks(sc.model)
	reply := assistant.SummaryTokens(window)
	known := a.measures(s, sc)
	input := known.SmallCallInput(assistant.SummaryInput(window, reply+known.SummaryThoughts()), assistant.SummaryTime, thinks)
	// most bounds the rows of one summary, 0 does not.
	most := 0
	withheld, err := a.withheld(ctx, s, sc, search{})
	if err != nil {
		a.Log.Warn("Conversation not summarized", "turn", s.ID, "error", err)
		return
	}
	if stored, _ := s.Memo.withheld.Get(); len(stored.Due) > 0 {
		// A refused summary would lose what it is of.
		withheld = withKeys(withheld, stored.Due)
	}
	for call := range summaryCalls {
		rows := s.Rows()
		excess, cuts := a.excess(s, sc, rows, next)
		if excess == 0 {
			return
		}
		if most > 0 {
			excess = min(excess, most)
		}
		oldest := make([][]model.Message, excess)
		for i, row := range rows[:excess] {
			oldest[i] = slices.Clone(row.Messages)
			assistant.Withhold(oldest[i], withheld, -1, a.contentSecret(s))
		}
		text := assistant.Summary(s.Summary(), oldest, window, input, most > 0)
		if text.IsClipped && next.free {
			// The next turn does it, whose person reads of the loss.
			return
		}
		taken := lastCut(cuts, text.Rows)
		response, err := a.ask(ctx, s, sc, smallRequest{
			purpose: spend.Summary,
			number:  next.number + call,
			system:  text.System,
			user:    text.User,
			tokens:  reply,
			time:    assistant.SummaryTime,
		})
		if model.ClassOf(err) == model.ContextLength && input > 1 {
			// The estimate was too low for this text.
			input /= 2
			continue
		}
		notes, isWhole := assistant.CleanSummary(scrub.Text(response.Answer()), window)
		isWhole = isWhole && response.FinishReason != model.FinishLength
		if err == nil && !isWhole && most == 0 {
			// Fewer messages need fewer notes, which get twice the room.
			most, reply = max(taken/2, 1), 2*reply
			input = min(input, assistant.SummaryInput(window, reply+known.SummaryThoughts()))
			continue
		}
		if !a.storeSummary(ctx, s, storedSummary{taken, notes, isWhole, text.IsClipped}, err) {
			return
		}
	}
}

// excess is the number of oldest rows to summarize. cuts marks those before which the conversation can be cut.
func (a *Turn) excess(s *session, sc scope, rows []turn.Row, next summaryGoal) (n int, cuts []bool) {
	frame := a.frame(s, sc)
	sizes, cuts, room := sizesOf(rows), cutsOf(rows), frame.room
	if next.answer > 0 {
		sizes, cuts = append(sizes, next.answer), append(cuts, false)
	}
	if next.free {
		room = room * 3 / 4
	} else {
		room -= a.contextTokens(s, sc, frame)
	}
	return assistant.Compaction(sizes, cuts, room), cuts
}

// storedSummary is notes of so many of the oldest rows. Notes that were cut are not whole, those of a cut message are clipped.
type storedSummary struct {
	taken              int
	notes              string
	isWhole, isClipped bool
}

// storeSummary reports whether notes have replaced the rows. Notes that were cut are none.
func (a *Turn) storeSummary(ctx context.Context, s *session, made storedSummary, failure error) bool {
	isUsable := made.isWhole && made.notes != ""
	if failure == nil && isUsable {
		failure = s.Summarize(ctx, made.taken, made.notes, made.isClipped)
	}
	if failure == nil && isUsable {
		return true
	}
	s.Memo.summaryFailed.Put(true)
	a.lost(turn.SummaryFailed)
	a.Log.Warn("Conversation not summarized", "turn", s.ID, "whole", made.isWhole, "error", failure)
	return false
}

// lastCut is the number of rows, so many at most, after which the remaining ones start with a person's message.
func lastCut(cuts []bool, rows int) int {
	for rows > 1 && !cuts[rows] {
		rows--
	}
	return rows
}

func sizesOf(rows []turn.Row) []int {
	sizes := make([]int, len(rows))
	for i, row := range rows {
		sizes[i] = assistant.EstimateTokens(row.Messages)
	}
	return sizes
}

// cutsOf marks the rows before which a conversation can be cut: a person's messages.
func cutsOf(rows []turn.Row) []bool {
	cuts := make([]bool, len(rows))
	for i, row := range rows {
		cuts[i] = row.Messages[0].Role == model.RoleUser
	}
	return cuts
}
