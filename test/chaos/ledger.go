package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store"
)

// violation is a broken invariant. subject is the record, nil when unknown.
type violation struct {
	what    string
	subject uuid.UUID
	text    string
}

func (v violation) String() string {
	if v.subject == uuid.Nil {
		return v.what + ": " + v.text
	}
	return fmt.Sprintf("%s: %s (%s)", v.what, v.text, v.subject)
}

// ledger records the observations of people, for the comparison with the database at the end.
type ledger struct {
	mu         sync.Mutex
	runs       []*run
	violations []violation
	// kin leads from a proposal to its turn, and from a turn to its conversation.
	kin map[uuid.UUID]uuid.UUID
}

func (l *ledger) begin(scenario string) *run {
	r := &run{scenario: scenario, began: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs = append(l.runs, r)
	return r
}

func (l *ledger) complain(v violation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := v.what != "server error" && slices.Contains(l.violations, v); !known {
		l.violations = append(l.violations, v)
	}
}

func (l *ledger) all() []*run {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.runs)
}

func (l *ledger) complaints() []violation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.violations)
}

// about finds the run of a turn, proposal or conversation. The person may have seen only its parent, such as the turn
// that applied a proposal by itself.
func (l *ledger) about(subject uuid.UUID) *run {
	for ; subject != uuid.Nil; subject = l.kin[subject] {
		for _, r := range l.all() {
			if r.concerns(subject) {
				return r
			}
		}
	}
	return nil
}

// introduce loads the relations between records.
func (l *ledger) introduce(ctx context.Context, db *store.DB) error {
	list, err := inquire(ctx, db, "kinship.sql")
	if err != nil {
		return err
	}
	l.kin = make(map[uuid.UUID]uuid.UUID, len(list))
	for _, v := range list {
		if whole, err := uuid.Parse(v.text); err == nil {
			l.kin[v.subject] = whole
		}
	}
	return nil
}

// run is one person doing one thing.
type run struct {
	scenario string
	began    time.Time

	mu       sync.Mutex
	ended    time.Time
	subjects []uuid.UUID
	// progress are the times of received responses, retries those of repeated requests.
	progress []sign
	retries  []time.Time
	accepted []accepted
	turns    []followed
	applied  []uuid.UUID
}

// sign is a response that a person received. claim is that of the process that wrote it, zero for other responses.
type sign struct {
	at    time.Time
	claim int64
}

// accepted is a message that the API has taken.
type accepted struct {
	conversation uuid.UUID
	message      string
}

// followed is a stream as the person's client has put it together.
type followed struct {
	turn   uuid.UUID
	chunks []string
}

func (r *run) about(subject uuid.UUID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.subjects, subject) {
		r.subjects = append(r.subjects, subject)
	}
}

func (r *run) concerns(subject uuid.UUID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.subjects, subject)
}

func (r *run) saw(claim int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = append(r.progress, sign{time.Now(), claim})
}

func (r *run) again() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.retries = append(r.retries, time.Now())
}

func (r *run) accept(conversation uuid.UUID, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := (accepted{conversation, message}); !slices.Contains(r.accepted, a) {
		r.accepted = append(r.accepted, a)
	}
}

func (r *run) follow(f followed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turns = append(r.turns, f)
}

// told records that the person received: applied.
func (r *run) told(proposal uuid.UUID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.applied = append(r.applied, proposal)
}

func (r *run) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = time.Now()
}

// inFlight is how long output of a dead worker may still be in transit: no takeover is that fast.
const inFlight = 200 * time.Millisecond

// recovery is how long the person waited, after a process of this kind was killed, for the next response.
func (r *run) recovery(kill time.Time, k kind) (time.Duration, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.progress {
		lastWords := k != api && s.claim > 0 && s.at.Sub(kill) < inFlight
		if s.at.After(kill) && !lastWords {
			return s.at.Sub(kill), true
		}
	}
	return 0, false
}

// takeover is the time from a worker's kill to the takeover of the turn; ok is false when the killed process did not
// own the turn.
func (r *run) takeover(kill time.Time) (time.Duration, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var before int64
	for _, s := range r.progress {
		switch {
		case s.claim == 0:
		case !s.at.After(kill):
			before = s.claim
		case before > 0 && s.claim > before:
			return s.at.Sub(kill), true
		}
	}
	return 0, false
}

// retriesAfter counts the retries after a kill.
func (r *run) retriesAfter(kill time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, at := range r.retries {
		if at.After(kill) {
			n++
		}
	}
	return n
}
