package notice

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/notice/noticedb"
)

// receiversOfANotice is how many receivers a history names for each notice.
const receiversOfANotice = 8

// Past is a notice with what became of its deliveries.
type Past struct {
	ID     uuid.UUID
	Topic  string
	Edge   string
	Phase  Phase
	At     time.Time
	Counts Counts
	// Receivers are the first deliveries; those that failed come first.
	Receivers []Receiver
}

// Counts are how many deliveries a notice has, in all and in some states.
type Counts struct{ Deliveries, Waiting, Sent, Unknown, Failed int }

// Receiver is a delivery without its address.
type Receiver struct {
	// Kind is that of the channel.
	Kind string
	// Person is nil for a channel of a team or a policy.
	Person *uuid.UUID
	State  State
}

// HistoryQuery asks for notices about a record before a moment.
type HistoryQuery struct {
	About
	BeforeAt time.Time
	BeforeID uuid.UUID
	Limit    int
	// Person limits the answer to the deliveries to one person.
	Person *uuid.UUID
	// Edges are those of problems of Topic; without any, the answer has all notices but the problems of Topic.
	Topic string
	Edges []string
}

// History returns notices that have deliveries, newest first. The caller has checked who may see them.
func (l *Ledger) History(ctx context.Context, q HistoryQuery) ([]Past, error) {
	rows, err := l.queries(ctx).History(ctx, noticedb.HistoryParams{
		AboutKind: q.Kind, AboutID: q.ID, BeforeAt: q.BeforeAt, BeforeID: q.BeforeID, MaxRows: int32(q.Limit), PersonID: q.Person,
		Topic: q.Topic, Edges: append([]string{}, q.Edges...),
	})
	if err != nil {
		return nil, fmt.Errorf("list notices: %w", err)
	}
	list, at, ids := make([]Past, len(rows)), make(map[uuid.UUID]*Past, len(rows)), make([]uuid.UUID, len(rows))
	for i, r := range rows {
		list[i] = Past{
			ID: r.ID, Topic: r.Topic, Edge: r.Edge, Phase: Phase(r.Phase), At: r.CreatedAt,
			Counts: Counts{
				Deliveries: int(r.Deliveries), Waiting: int(r.Waiting), Sent: int(r.Sent), Unknown: int(r.Unknown), Failed: int(r.Failed),
			},
		}
		ids[i], at[r.ID] = r.ID, &list[i]
	}
	if len(ids) == 0 {
		return list, nil
	}
	receivers, err := l.queries(ctx).Receivers(ctx, noticedb.ReceiversParams{
		Notifications: ids, PersonID: q.Person, Most: receiversOfANotice,
	})
	if err != nil {
		return nil, fmt.Errorf("list receivers of notices: %w", err)
	}
	for _, r := range receivers {
		p := at[r.NotificationID]
		p.Receivers = append(p.Receivers, Receiver{Kind: r.ChannelKind, Person: r.PersonID, State: State(r.State)})
	}
	return list, nil
}
