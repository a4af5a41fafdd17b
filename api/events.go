package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"countersign/audit"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// EventsRule is the access rule of dead letters: events that consumers could not handle.
const EventsRule = "event.consumer.manage"

// Events are the operators' routes to dead letters.
type Events struct {
	DB       *store.DB
	Operator *event.Operator
	Types    *event.Registry
}

// deadLetterType is the type of dead letters in the audit log.
const deadLetterType = "event.parked"

var auditedDeadLetter = audit.Declare(audit.Type{ID: deadLetterType, Label: "Failed event", Plural: "Failed events"})

// Audited are dead letters, whose ids events reuse for each consumer.
func (*Events) Audited() []audit.Kind { return []audit.Kind{{Type: auditedDeadLetter}} }

// Rules are the access rules of events.
func (*Events) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: EventsRule, Description: "See dead letters (events that a consumer could not handle), and retry or skip them"},
	}
}

// EventConsumer is a consumer of the event log.
type EventConsumer struct {
	Name        string    `json:"name"`
	MovedAt     time.Time `json:"movedAt" doc:"When it last handled or passed by an event."`
	RunAt       time.Time `json:"runAt" doc:"When a process last said that it runs it, every ten minutes."`
	Absent      bool      `json:"absent" doc:"No process has said for half an hour that it runs it."`
	Overdue     bool      `json:"overdue" doc:"It has not come to events that are older than 30 days, which are kept for it."`
	Waiting     int64     `json:"waiting" doc:"Events that it retries, and later ones about the same subjects."`
	DeadLetters int64     `json:"parked" doc:"Dead letters: events that it gave up after ten attempts."`
	Depth       int64     `json:"depth" doc:"Events that it has not come to, up to 1,000 in each of its 16 lanes."`
	LagMillis   int64     `json:"lagMs" doc:"Age of the oldest event that it has not handled, dead letters aside."`
	Dispatches  int64     `json:"dispatches" doc:"Workflows that it asked for and whose start is not confirmed."`
}

// DeadLetter is an event that a consumer gave up after its last attempt.
type DeadLetter struct {
	Consumer  string    `json:"consumer"`
	EventID   int64     `json:"eventId"`
	Type      string    `json:"type"`
	TypeName  string    `json:"typeName" doc:"The type in words."`
	Subject   string    `json:"subject" doc:"What it is about, such as system:0199aa00-…"`
	Attempts  int32     `json:"attempts"`
	Error     string    `json:"error" doc:"The error of the last attempt."`
	DeadSince time.Time `json:"parkedAt"`
}

type consumerList struct {
	Consumers []EventConsumer `json:"consumers" nullable:"false"`
}

type deadLetterList struct {
	Events []DeadLetter `json:"events" nullable:"false"`
	rest.Next
}

type byDeadLetter struct {
	Consumer string `path:"consumer" maxLength:"200"`
	ID       int64  `path:"id" minimum:"1"`
}

const deadLetterPath = "/api/events/parked"

// Routes declares the operations.
func (e *Events) Routes(api huma.API) {
	rule := rest.Rules(EventsRule)
	huma.Register(api, rest.Op("list-event-consumers", http.MethodGet, "/api/events/consumers", "List event consumers", rule,
		rest.Doc("The parts of the product that follow the event log, with their lag, their retries and dead letters.")), e.consumers)
	huma.Register(api, rest.Op(
		"list-parked-events",
		http.MethodGet,
		deadLetterPath,
		"List dead letters",
		rule,
		rest.Doc(
			"By consumer, the oldest first. An event becomes a dead letter after ten attempts; later ones about the same subject go on without it.",
		),
	), e.deadLetters)
	one := deadLetterPath + "/{consumer}/{id}"
	huma.Register(api, rest.Op("retry-parked-event", http.MethodPost, one+"/retry", "Retry a dead letter",
		rest.Tool("event.retry", rest.Mutates), rule, rest.Status(http.StatusNoContent),
		rest.Doc("Out of its order: later events about the same subject may have been handled.")),
		resolved(e.Retry))
	huma.Register(api, rest.Op("skip-parked-event", http.MethodPost, one+"/skip", "Skip a dead letter",
		rest.Tool("event.skip", rest.Destroys), rule, rest.Status(http.StatusNoContent),
		rest.Doc("Its consumer never handles it.")), resolved(e.Skip))
}

func (e *Events) consumers(ctx context.Context, _ *struct{}) (*rest.Body[consumerList], error) {
	states, err := e.Operator.States(ctx)
	list := consumerList{Consumers: make([]EventConsumer, len(states))}
	for i, s := range states {
		list.Consumers[i] = EventConsumer{
			Name:        s.Consumer,
			MovedAt:     s.MovedAt,
			RunAt:       s.RunAt,
			Absent:      s.Absent,
			Overdue:     s.Overdue(),
			Waiting:     s.Waiting,
			DeadLetters: s.DeadLetters,
			Depth:       s.Depth,
			LagMillis:   s.Lag.Milliseconds(),
			Dispatches:  s.Dispatches,
		}
	}
	return rest.With(list, err)
}

func (e *Events) deadLetters(ctx context.Context, in *rest.Page) (*rest.Body[deadLetterList], error) {
	key, err := in.After()
	if err != nil {
		return nil, err
	}
	var after event.DeadLetter
	if key != "" {
		id, consumer, found := strings.Cut(key, " ")
		if after.EventID, err = strconv.ParseInt(id, 10, 64); err != nil || !found {
			return nil, problem.UnknownCursor()
		}
		after.Consumer = consumer
	}
	events, err := e.Operator.DeadLetters(ctx, after, in.Rows())
	if err != nil {
		return nil, err
	}
	events, next := rest.Cut(*in, events, func(p event.DeadLetter) string { return strconv.FormatInt(p.EventID, 10) + " " + p.Consumer })
	list := deadLetterList{Events: make([]DeadLetter, len(events)), Next: next}
	for i, p := range events {
		known, _ := e.Types.Type(p.Type)
		list.Events[i] = DeadLetter{
			Consumer:  p.Consumer,
			EventID:   p.EventID,
			Type:      p.Type,
			TypeName:  known.Name,
			Subject:   p.Subject,
			Attempts:  p.Attempts,
			Error:     p.Error,
			DeadSince: p.DeadSince,
		}
	}
	return rest.With(list, nil)
}

// Retry delivers a dead letter to its consumer once more, and records it.
func (e *Events) Retry(ctx context.Context, consumer string, id int64) error {
	return e.resolve(ctx, e.Operator.Retry, audit.Event{Action: audit.Restored, Summary: "A dead letter is retried"}, consumer, id)
}

// Skip discards a dead letter, and records it.
func (e *Events) Skip(ctx context.Context, consumer string, id int64) error {
	return e.resolve(ctx, e.Operator.Skip, audit.Event{Action: audit.Removed, Summary: "A dead letter is skipped"}, consumer, id)
}

// resolve removes a dead letter by a retry or a skip. A second call finds nothing.
func (e *Events) resolve(
	ctx context.Context,
	do func(ctx context.Context, consumer string, id int64) (bool, error),
	entry audit.Event,
	consumer string,
	id int64,
) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		done, err := do(ctx, consumer, id)
		if err != nil {
			return err
		}
		if !done {
			return problem.Errorf(
				problem.NotFound,
				"There is no such dead letter. It may have been retried or skipped meanwhile: list the dead letters.",
			)
		}
		entry.Object = audit.Ref{Type: deadLetterType, ID: consumer + "/" + strconv.FormatInt(id, 10), Name: consumer}
		return audit.Record(ctx, e.DB, entry)
	})
}

func resolved(do func(ctx context.Context, consumer string, id int64) error) func(context.Context, *byDeadLetter) (*struct{}, error) {
	return func(ctx context.Context, in *byDeadLetter) (*struct{}, error) {
		return nil, do(ctx, in.Consumer, in.ID)
	}
}
