package activities

import (
	"sync"
	"time"

	"countersign/chat/turn"
	"countersign/model"
	"countersign/workflows"
)

// Memo is the state that the steps of a turn share in this process. A process that takes the turn over starts with an
// empty one, so it holds nothing that has to outlive a process.
type Memo struct {
	scope turn.SharedValue[scope]
	// prefetch is the turn context that is loaded in advance.
	prefetch turn.SharedValue[*Prefetch]
	// prepared is set once the turn is ready for its first model call.
	prepared turn.SharedValue[struct{}]
	// verdict is whether the message is off-topic, once known or not needed.
	verdict turn.SharedValue[bool]
	// early is the outcome of a first model call beside the workflow that has left no record.
	early turn.SharedValue[workflows.CallModelOutput]
	// figures are what the calls of this turn have shown of the model.
	figures turn.SharedValue[model.Figures]
	// withheld are the keys of content that the provider refuses.
	withheld turn.SharedValue[turn.Withheld]
	// summaryFailed is set once the conversation could not be summarized in this turn.
	summaryFailed turn.SharedValue[bool]
	// named is closed once the model has named the conversation, or could not.
	named turn.SharedValue[<-chan struct{}]
	// context is the text behind the person's message for the model.
	context turn.SharedValue[string]
	prompt  turn.SharedValue[prompt]
	// callTimes are the start times of unfinished tool calls.
	callTimes callTimes
	// streamer is that of the last attempt at a model call.
	streamer turn.SharedValue[*streamer]
}

// session is a turn that this process runs, with its memo.
type session = turn.ClaimedSession[Memo]

// callTimes are start times by step and call.
type callTimes struct {
	mu    sync.Mutex
	known map[[2]int]time.Time
}

// first returns the start time of a call's first attempt, which is now unless it is a retry.
func (m *callTimes) first(step, call int) time.Time {
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
