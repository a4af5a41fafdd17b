package stream

// Replay decides what of a turn's events a client has to see.
//
// A process that is killed in the middle of a step leaves the beginning of that step in the log, and the process that
// takes over writes reset-step and the step from its start. A client that has seen the beginning is told to drop it;
// one that has not is spared both.
type Replay struct {
	// Since is the seq of the last event the client has, from its Last-Event-ID; 0 when it starts afresh.
	Since int64

	open     bool
	openStep int
	reset    bool
}

// Next returns the chunk to send for e, or false when the client must not see it.
func (r *Replay) Next(e Event) (string, bool) {
	send := true
	switch kindOf(e.Chunk) {
	case typeStartStep:
		if r.open && r.openStep == e.Step && r.reset {
			send = false
		}
		r.open, r.openStep, r.reset = true, e.Step, false
	case typeFinishStep:
		// A takeover closes the step before the one it begins again; a client that was in the later one knows that.
		send = r.open && r.openStep == e.Step
		r.open = r.open && !send
	case typeResetStep:
		send = r.open && r.openStep == e.Step
		r.reset = send
	}
	return e.Chunk, send && e.Seq > r.Since
}
