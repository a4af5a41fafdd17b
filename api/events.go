package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"countersign/event"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
	"countersign/store"
	"countersign/tool/audit"
)

// EventsRule is the access rule of events that parts of the product could not handle.
const EventsRule = "event.consumer.manage"

// Events are the routes of operators to what consumers of events could not handle.
type Events struct {
	DB       *store.DB
	Operator *event.Operator
	Types    *event.Registry
}

// Rules are the access rules of events.
func (*Events) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: EventsRule, Description: "See events that parts of the product could not handle, and try them again or skip them"},
	}
}

// EventConsumer is a part of the product that follows events.
type EventConsumer struct {
	Name    string    `json:"name"`
	MovedAt time.Time `json:"movedAt" doc:"When it handled or passed by an event last."`
	Waiting int64     `json:"waiting" doc:"Events that it tries again by itself, with those about the same subjects behind them."`
	Parked  int64     `json:"parked" doc:"Events that it has given up."`
}

// ParkedEvent is an event that a consumer has given up.
type ParkedEvent struct {
	Consumer string    `json:"consumer"`
	EventID  int64     `json:"eventId"`
	Type     string    `json:"type"`
	TypeName string    `json:"typeName" doc:"The type in words."`
	Subject  string    `json:"subject" doc:"What it is about, such as system:0199aa00-…"`
	Attempts int32     `json:"attempts"`
	Error    string    `json:"error" doc:"What the last attempt ended with."`
	ParkedAt time.Time `json:"parkedAt"`
}

type consumerList struct {
	Consumers []EventConsumer `json:"consumers" nullable:"false"`
}

type parkedList struct {
	Events []ParkedEvent `json:"events" nullable:"false"`
	rest.Next
}

type byParkedEvent struct {
	Consumer string `path:"consumer" maxLength:"200"`
	ID       int64  `path:"id" minimum:"1"`
}

const parkedPath = "/api/events/parked"

// Routes declares the operations.
func (e *Events) Routes(api huma.API) {
	rule := rest.Rules(EventsRule)
	huma.Register(api, rest.Op("list-event-consumers", http.MethodGet, "/api/events/consumers", "List what follows events", rule,
		rest.Doc("The parts of the product that do something when something happens, with what they could not handle.")), e.consumers)
	huma.Register(api, rest.Op(
		"list-parked-events",
		http.MethodGet,
		parkedPath,
		"List events that were given up",
		rule,
		rest.Doc(
			"By consumer, the oldest first. An event is given up after ten attempts; later ones about the same subject go on without it.",
		),
	), e.parked)
	one := parkedPath + "/{consumer}/{id}"
	huma.Register(api, rest.Op("retry-parked-event", http.MethodPost, one+"/retry", "Try an event again that was given up",
		rest.Tool("event.retry", rest.Mutates), rule, rest.Status(http.StatusNoContent),
		rest.Doc("Out of its order: later events about the same subject may have been handled.")),
		e.settle(e.Operator.Retry, audit.Restored, "An event that was given up is tried again"))
	huma.Register(api, rest.Op("skip-parked-event", http.MethodPost, one+"/skip", "Skip an event that was given up",
		rest.Tool("event.skip", rest.Destroys), rule, rest.Status(http.StatusNoContent),
		rest.Doc("Its consumer never handles it.")), e.settle(e.Operator.Skip, audit.Removed, "An event that was given up is skipped"))
}

func (e *Events) consumers(ctx context.Context, _ *struct{}) (*rest.Body[consumerList], error) {
	states, err := e.Operator.States(ctx)
	list := consumerList{Consumers: make([]EventConsumer, len(states))}
	for i, s := range states {
		list.Consumers[i] = EventConsumer{Name: s.Consumer, MovedAt: s.MovedAt, Waiting: s.Waiting, Parked: s.Parked}
	}
	return rest.With(list, err)
}

func (e *Events) parked(ctx context.Context, in *rest.Page) (*rest.Body[parkedList], error) {
	key, err := in.After()
	if err != nil {
		return nil, err
	}
	var after event.Parked
	if key != "" {
		id, consumer, found := strings.Cut(key, " ")
		if after.EventID, err = strconv.ParseInt(id, 10, 64); err != nil || !found {
			return nil, problem.UnknownCursor()
		}
		after.Consumer = consumer
	}
	events, err := e.Operator.Parked(ctx, after, in.Rows())
	if err != nil {
		return nil, err
	}
	events, next := rest.Cut(*in, events, func(p event.Parked) string { return strconv.FormatInt(p.EventID, 10) + " " + p.Consumer })
	list := parkedList{Events: make([]ParkedEvent, len(events)), Next: next}
	for i, p := range events {
		known, _ := e.Types.Type(p.Type)
		list.Events[i] = ParkedEvent{
			Consumer: p.Consumer,
			EventID:  p.EventID,
			Type:     p.Type,
			TypeName: known.Name,
			Subject:  p.Subject,
			Attempts: p.Attempts,
			Error:    p.Error,
			ParkedAt: p.ParkedAt,
		}
	}
	return rest.With(list, nil)
}

// settle ends that an event is parked. A second call finds nothing.
func (e *Events) settle(
	do func(ctx context.Context, consumer string, id int64) (bool, error),
	action audit.Action,
	summary string,
) func(context.Context, *byParkedEvent) (*struct{}, error) {
	return func(ctx context.Context, in *byParkedEvent) (*struct{}, error) {
		return nil, e.DB.InTx(ctx, func(ctx context.Context) error {
			done, err := do(ctx, in.Consumer, in.ID)
			if err != nil {
				return err
			}
			if !done {
				return problem.Errorf(
					problem.NotFound,
					"No such event is parked. It may have been tried again or skipped meanwhile: list the parked events.",
				)
			}
			object := audit.Ref{Type: "event.parked", ID: in.Consumer + "/" + strconv.FormatInt(in.ID, 10), Name: in.Consumer}
			return audit.Record(ctx, e.DB, audit.Event{Action: action, Object: object, Summary: summary})
		})
	}
}
