package activities

import (
	"context"
	"slices"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/model"
)

// lost counts a loss for the operator.
func (a *Turn) lost(kind turn.NoticeKind) {
	if a.Lost != nil {
		a.Lost(kind)
	}
}

// noteWindow notes what a request leaves out because of the window.
func (st *streamer) noteWindow(l assistant.Losses) {
	if l.Messages > 0 {
		st.lose(turn.MessagesLeftOut, assistant.DescribeLeftOut(l.Messages))
	}
	if l.IsQuestionCut {
		st.lose(turn.MessageCut, assistant.DescribeQuestionCut)
	}
}

// noteTruncation tells the person, and reports to the connection, that the provider may have silently truncated a request.
func (a *Turn) noteTruncation(ctx context.Context, sc scope, st *streamer, request model.Request, sent int, used model.Usage) {
	if sc.connection.RecordTruncation == nil || !isMeasured(request) || !assistant.CutSilently(sent, used) {
		return
	}
	st.lose(turn.TruncatedByServer, assistant.DescribeTruncation(sent, used.InputTokens))
	if err := sc.connection.RecordTruncation(context.WithoutCancel(ctx), sent, used.InputTokens); err != nil {
		a.Log.Warn("Truncation by a provider not recorded", "error", err)
	}
}

// keepPartial is the streamer to record after the last attempt at a call has failed: that of the last attempt with text,
// so that what the person has read stays.
func (st *streamer) keepPartial(failure model.Class) *streamer {
	kept := st
	if !st.started && st.before != nil {
		kept = st.before
		kept.notices = slices.Clone(st.notices)
	}
	hasText := slices.ContainsFunc(kept.segments, func(g turn.Segment) bool { return g.Kind == turn.Text && g.Text != "" })
	// Other failures say themselves why an answer ends.
	broke := failure == model.Cut || failure == model.Stalled || failure == model.Unavailable
	if hasText && broke {
		kept.lose(turn.AnswerIncomplete, assistant.DescribeIncomplete)
	}
	return kept
}

// countLosses counts the notices of a recorded step, each kind once a turn.
func (a *Turn) countLosses(s *session, step int, notices []turn.Notice) {
	for _, n := range notices {
		before := false
		for i := 1; i < step && !before; i++ {
			earlier := s.Step(i).Model
			before = earlier != nil && slices.ContainsFunc(earlier.Notices, func(o turn.Notice) bool { return o.Kind == n.Kind })
		}
		if !before {
			a.lost(n.Kind)
		}
	}
}
