package activities

import (
	"sync"
	"time"

	"countersign/chat/turn"
	"countersign/workflows"
)

// Memo is what the steps of a turn leave for each other in this process. A process that takes the turn over begins with
// an empty one, so nothing that has to outlive a process is kept here.
type Memo struct {
	scope turn.Slot[scope]
	// ahead is what the turn stands on, where that is loaded ahead.
	ahead turn.Slot[*Ahead]
	// prepared is full once the turn is ready for its first model call.
	prepared turn.Slot[struct{}]
	// verdict is whether the message is about something else, once that is known or was not to be learned.
	verdict turn.Slot[bool]
	// early is the outcome of a first model call ahead of the workflow that has left no record.
	early turn.Slot[workflows.CallModelOutput]
	// window is the model's context window in tokens, once the provider has taught it.
	window turn.Slot[int]
	// context is what the model was told behind the person's message.
	context turn.Slot[string]
	// begun is when calls of tools began that have not come to an end.
	begun moments
	// streamer is that of the last attempt at a model call.
	streamer turn.Slot[*streamer]
}

// session is a turn that this process runs, with its memo.
type session = turn.Claimed[Memo]

// moments are when calls began, by step and call.
type moments struct {
	mu    sync.Mutex
	known map[[2]int]time.Time
}

// first is when a call began that begins now, perhaps again.
func (m *moments) first(step, call int) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at, again := m.known[[2]int{step, call}]; again {
		return at
	}
	if m.known == nil {
		m.known = map[[2]int]time.Time{}
	}
	at := time.Now()
	m.known[[2]int{step, call}] = at
	return at
}
