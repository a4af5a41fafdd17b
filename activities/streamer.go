package activities

import (
	"encoding/json"
	"slices"

	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/internal/secret/scrub"
	"countersign/model"
	"countersign/tool/spend"
)

// streamer encodes the deltas of a model call as chunks of the turn's stream and as segments of its record.
type streamer struct {
	session *session
	step    int
	// hasEarlier is set when an earlier attempt may have streamed a part of this step, before is the last one with text.
	hasEarlier bool
	before     *streamer

	started bool
	// used is the usage to settle with the call's record, once known.
	used     *spend.Settlement
	segments []turn.Segment
	notices  []turn.Notice
	// withheld are the keys of content that this attempt leaves out.
	withheld map[string]bool
	open     int
	// spoken is set once there is something to read; scrub holds back what is not yet known to be safe.
	visible bool
	scrub   scrub.Stream
}

// newStreamer starts the stream of a step's model call. Chunks of an earlier attempt at the step are dropped.
func newStreamer(s *session, step int) *streamer {
	earlier, ok := s.Memo.streamer.Take()
	again := s.IsTakeover() || ok && earlier.step == step && (earlier.hasEarlier || earlier.started)
	st := &streamer{session: s, step: step, hasEarlier: again, open: -1}
	if ok && earlier.step == step {
		if st.before = earlier.before; earlier.visible || earlier.started {
			st.before = earlier
			earlier.before = nil
		}
	}
	s.Memo.streamer.Put(st)
	return st
}

// lastStreamer continues the stream of the step's last attempt, so that its text stays.
func lastStreamer(s *session, step int) *streamer {
	if earlier, ok := s.Memo.streamer.Take(); ok && earlier.step == step {
		return earlier
	}
	return newStreamer(s, step)
}

// openStep returns the chunks that open the step, together with its first content.
func (st *streamer) openStep() []string {
	if st.started {
		return nil
	}
	st.started = true
	var chunks []string
	if st.hasEarlier {
		st.session.Emit(st.step, false, stream.ResetStep())
	}
	if st.step > 1 {
		st.session.Emit(st.step-1, false, stream.FinishStep())
	}
	return append(chunks, stream.StartStep())
}

// delta streams one piece of the answer. The first piece does not wait for the next flush.
func (st *streamer) delta(d model.Delta) {
	if d.Restart {
		st.hasEarlier, st.started, st.visible = st.hasEarlier || st.started, false, false
		st.segments, st.open, st.scrub = nil, -1, scrub.Stream{}
		return
	}
	silent := !st.visible
	chunks := st.openStep()
	if d.Reasoning != "" {
		chunks = st.appendText(chunks, turn.Reasoning, stream.Clean(d.Reasoning))
	}
	if d.Text != "" {
		chunks = st.appendText(chunks, turn.Text, stream.Clean(d.Text))
	}
	if d.Call != nil {
		chunks = st.call(chunks, *d.Call)
	}
	if len(chunks) > 0 {
		// Only what a person can read is worth a flush of its own.
		st.session.Emit(st.step, silent && st.visible, chunks...)
	}
	crash.Point("model.after-delta", st.session.ID)
}

// appendText continues the open part, or opens one. It holds back a possible start of a credential.
func (st *streamer) appendText(chunks []string, kind turn.SegmentKind, text string) []string {
	if st.open < 0 || st.segments[st.open].Kind != kind {
		chunks = st.close(chunks)
		st.segments = append(st.segments, turn.Segment{Kind: kind})
		st.open = len(st.segments) - 1
		chunks = append(chunks, opening(kind)(turn.SegmentID(st.step, st.open)))
	}
	return st.add(chunks, st.scrub.Write(text))
}

// add puts text without credentials into the open part.
func (st *streamer) add(chunks []string, text string) []string {
	if text == "" {
		return chunks
	}
	st.visible = true
	st.segments[st.open].Text += text
	id := turn.SegmentID(st.step, st.open)
	if st.segments[st.open].Kind == turn.Reasoning {
		return append(chunks, stream.ReasoningDelta(id, text))
	}
	return append(chunks, stream.TextDelta(id, text))
}

func opening(kind turn.SegmentKind) func(string) string {
	if kind == turn.Reasoning {
		return stream.ReasoningStart
	}
	return stream.TextStart
}

// close ends the open text or reasoning part.
func (st *streamer) close(chunks []string) []string {
	if st.open < 0 {
		return chunks
	}
	chunks = st.add(chunks, st.scrub.Close())
	id := turn.SegmentID(st.step, st.open)
	kind := st.segments[st.open].Kind
	st.open = -1
	if kind == turn.Reasoning {
		return append(chunks, stream.ReasoningEnd(id))
	}
	return append(chunks, stream.TextEnd(id))
}

// call records a tool call. Clients get it once it is complete.
func (st *streamer) call(chunks []string, d model.CallDelta) []string {
	if !slices.ContainsFunc(st.segments, func(g turn.Segment) bool { return g.Kind == turn.ToolCall && g.Call == d.Index }) {
		chunks = st.close(chunks)
		st.segments = append(st.segments, turn.Segment{Kind: turn.ToolCall, Call: d.Index})
	}
	return chunks
}

// end returns the chunks that complete the model call, which are stored with its record.
func (st *streamer) end(r turn.ModelResult) []string {
	return append(st.close(st.openStep()), r.EndChunks()...)
}

// notify informs the person of a delay; the notice does not stay.
func (st *streamer) notify(n turn.Notice) {
	raw, err := json.Marshal(n)
	if err == nil {
		st.session.Emit(st.step, true, stream.Notice("notice", raw))
	}
}

// lose notes a loss, which the record of the call tells the person. The last notice of a kind counts.
func (st *streamer) lose(kind turn.NoticeKind, message string) {
	st.notices = slices.DeleteFunc(st.notices, func(n turn.Notice) bool { return n.Kind == kind })
	st.notices = append(st.notices, turn.Notice{Kind: kind, Message: message})
}
