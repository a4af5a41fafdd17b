package notification

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/notificationdb"
)

// Delivery is a message to one channel, with all of its attempts.
type Delivery struct {
	ID             uuid.UUID    `json:"id" doc:"The webhook-id of webhooks and the Message-ID of e-mails, the same in all attempts."`
	NotificationID uuid.UUID    `json:"notificationId"`
	AboutKind      string       `json:"aboutKind" doc:"Such as incident."`
	AboutID        uuid.UUID    `json:"aboutId"`
	Topic          string       `json:"topic"`
	Phase          notice.Phase `json:"phase" enum:"problem,recovery,update"`
	Urgent         bool         `json:"urgent"`
	ChannelID      uuid.UUID    `json:"channelId"`
	ChannelKind    channel.Kind `json:"channelKind" enum:"email,webhook,slack,teams,discord,ntfy,push"`
	ChannelName    string       `json:"channelName,omitempty" doc:"Absent when the channel is gone."`
	PersonID       *uuid.UUID   `json:"personId,omitempty" doc:"For whom it is, if that is a person."`
	PersonName     string       `json:"personName,omitempty"`
	State          notice.State `json:"state" enum:"waiting,sent,unknown,failed,suppressed,stopped" doc:"unknown: it may have arrived. suppressed: there was nothing to tell. stopped: no longer wanted."`
	Sending        bool         `json:"sending" doc:"An attempt is being made."`
	Reason         string       `json:"reason,omitempty"`
	Attempts       int          `json:"attempts"`
	Tries          []Try        `json:"tries" nullable:"false" doc:"The attempts that have ended, oldest first."`
	CreatedAt      time.Time    `json:"createdAt"`
	NextAt         *time.Time   `json:"nextAt,omitempty" doc:"When a waiting one is looked at again."`
	EndedAt        *time.Time   `json:"endedAt,omitempty"`
}

// Try is one attempt.
type Try struct {
	At     time.Time      `json:"at"`
	Result channel.Result `json:"result" enum:"sent,uncertain,temporary,permanent"`
	Reason string         `json:"reason,omitempty"`
}

// LogFilter narrows the log.
type LogFilter struct {
	// All asks for the deliveries of everybody.
	All       bool
	State     string
	AboutKind string
	AboutID   *uuid.UUID
}

// Log lists deliveries, newest first: those of the caller about what they may see, or all of them for readers of the log. A page
// of the caller's can be short.
func (s *service) Log(ctx context.Context, f LogFilter, page rest.Page) ([]Delivery, rest.Next, error) {
	params := notificationdb.DeliveriesParams{State: f.State, MaxRows: page.Rows()}
	if f.All {
		if !principal.FromContext(ctx).Has(LogRead) {
			return nil, rest.Next{}, problem.MissingRule("see the deliveries to others", LogRead)
		}
	} else {
		id, err := person(ctx)
		if err != nil {
			return nil, rest.Next{}, err
		}
		params.PersonID = &id
	}
	if f.AboutKind != "" {
		if f.AboutID == nil {
			return nil, rest.Next{}, invalid("aboutId", "must name the record")
		}
		params.AboutKind, params.AboutID = f.AboutKind, *f.AboutID
	}
	before, err := page.AfterMoment()
	if err != nil {
		return nil, rest.Next{}, err
	}
	if before == nil {
		before = new(rest.Latest())
	}
	params.BeforeAt, params.BeforeID = before.At, before.ID
	rows, err := s.queries(ctx).Deliveries(ctx, params)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list deliveries: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(r notificationdb.DeliveriesRow) string { return rest.Moment{At: r.CreatedAt, ID: r.ID}.String() })
	if !f.All {
		if rows, err = s.visibleDeliveries(ctx, rows); err != nil {
			return nil, rest.Next{}, err
		}
	}
	list, err := s.shownDeliveries(ctx, rows)
	return list, next, err
}

// visibleDeliveries leaves out those about records that the caller may not see (any more).
func (s *service) visibleDeliveries(ctx context.Context, rows []notificationdb.DeliveriesRow) ([]notificationdb.DeliveriesRow, error) {
	sees := map[notice.About]bool{}
	for _, r := range rows {
		a := notice.About{Kind: r.AboutKind, ID: r.AboutID}
		subject, ok := s.subject(a.Kind)
		if _, known := sees[a]; known || !ok {
			continue
		}
		_, err := subject.Facts(ctx, notice.Notice{About: a, Topic: r.Topic, Edge: r.Edge, Phase: notice.Phase(r.Phase)})
		sees[a] = err == nil
		if err != nil && !problem.Is(err, problem.NotFound) && !problem.Is(err, problem.Forbidden) {
			return nil, fmt.Errorf("look at what a delivery is about: %w", err)
		}
	}
	return slices.DeleteFunc(rows, func(r notificationdb.DeliveriesRow) bool {
		return !sees[notice.About{Kind: r.AboutKind, ID: r.AboutID}]
	}), nil
}

func (s *service) shownDeliveries(ctx context.Context, rows []notificationdb.DeliveriesRow) ([]Delivery, error) {
	var people []uuid.UUID
	for _, r := range rows {
		if r.PersonID != nil {
			people = append(people, *r.PersonID)
		}
	}
	names := map[uuid.UUID]string{}
	if len(people) > 0 {
		var err error
		if names, err = s.people.Names(ctx, people); err != nil {
			return nil, fmt.Errorf("look people up: %w", err)
		}
	}
	list := make([]Delivery, len(rows))
	for i, r := range rows {
		d := Delivery{
			ID: r.ID, NotificationID: r.NotificationID, AboutKind: r.AboutKind, AboutID: r.AboutID, Topic: r.Topic,
			Phase: notice.Phase(r.Phase), Urgent: r.IsUrgent, ChannelID: r.ChannelID, ChannelKind: channel.Kind(r.ChannelKind),
			ChannelName: r.ChannelName, PersonID: r.PersonID, State: notice.State(r.State), Sending: r.IsSending, Reason: r.Reason,
			Attempts: int(r.Attempts), Tries: []Try{}, CreatedAt: r.CreatedAt, EndedAt: r.EndedAt,
		}
		if r.PersonID != nil {
			d.PersonName = names[*r.PersonID]
		}
		if d.State == notice.Waiting {
			d.NextAt = &r.NextAt
		}
		if err := json.Unmarshal(r.Tries, &d.Tries); err != nil {
			return nil, fmt.Errorf("read the attempts of a delivery: %w", err)
		}
		list[i] = d
	}
	return list, nil
}
