package stream

// Replay filters a turn's events for a client.
//
// A process that is killed in the middle of a step leaves the start of that step in the log, and the process that takes
// over writes reset-step and the step from its start. Replay passes reset-step to a client that has the start, and
// hides both from one that has not.
type Replay struct {
	// Since is the seq of the client's last event, from its Last-Event-ID; 0 for a new client.
	Since int64

	open     bool
	openStep int
	reset    bool
}

// Next returns the chunk to send for e, or false for a hidden one.
func (r *Replay) Next(e Event) (string, bool) {
	send := true
	switch kindOf(e.Chunk) {
	case typeStartStep:
		if r.open && r.openStep == e.Step && r.reset {
			send = false
		}
		r.open, r.openStep, r.reset = true, e.Step, false
	case typeFinishStep:
		// A takeover closes the step before the one that it repeats; a client that was in the later step has that already.
		send = r.open && r.openStep == e.Step
		r.open = r.open && !send
	case typeResetStep:
		send = r.open && r.openStep == e.Step
		r.reset = send
	}
	return e.Chunk, send && e.Seq > r.Since
}
