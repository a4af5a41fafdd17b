package notice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/notice/noticedb"
	"countersign/internal/store"
)

// Channel is the PostgreSQL channel that wakes the senders.
const Channel = "notify_deliveries"

// sliceSize bounds the people and the channels of one statement.
const sliceSize = 2000

// Ledger writes notifications and their deliveries, in the transaction of ctx.
type Ledger struct{ db *store.DB }

// NewLedger makes a ledger.
func NewLedger(db *store.DB) *Ledger { return &Ledger{db} }

func (l *Ledger) queries(ctx context.Context) *noticedb.Queries { return noticedb.New(l.db.Conn(ctx)) }

// Tell inserts a notification and a delivery for each channel of its recipients. A second call with the same edge makes no
// second notification, and adds deliveries for channels that have none. It joins the transaction of ctx, which holds a lock
// on the record, so that a problem and its recovery keep their order.
//
// A Recovery needs no recipients: those to whom a problem of the record was delivered get it.
func (l *Ledger) Tell(ctx context.Context, n Notice, to ...Recipient) (Told, error) {
	if err := l.check(ctx, n); err != nil {
		return Told{}, err
	}
	q, told := l.queries(ctx), Told{ID: store.NewID(), Created: true}
	_, err := q.AddNotification(ctx, noticedb.AddNotificationParams{
		ID: told.ID, AboutKind: n.Kind, AboutID: n.ID, Topic: n.Topic, Edge: n.Edge, Phase: string(n.Phase), IsUrgent: n.Urgent,
		Systems: append([]uuid.UUID{}, n.Systems...), Bundle: n.Bundle,
	})
	if store.NoRows(err) {
		told.Created = false
		told.ID, err = q.NotificationOf(ctx, noticedb.NotificationOfParams{AboutKind: n.Kind, AboutID: n.ID, Topic: n.Topic, Edge: n.Edge})
	}
	if err != nil {
		return Told{}, fmt.Errorf("add notification: %w", err)
	}
	var ways []way
	if n.Phase == Recovery {
		if ways, err = l.told(ctx, n, told.ID); err == nil {
			_, err = l.Stop(ctx, Stop{About: n.About, Reason: "The problem is over."})
		}
	} else {
		ways, told.Unreached, err = l.ways(ctx, n.Topic, to)
	}
	if err != nil {
		return Told{}, err
	}
	for some := range slices.Chunk(ways, sliceSize) {
		added, err := l.deliver(ctx, told.ID, n.Delay, some)
		if err != nil {
			return Told{}, err
		}
		told.Deliveries = append(told.Deliveries, added...)
	}
	if len(told.Deliveries) == 0 {
		return told, nil
	}
	return told, l.wake(ctx)
}

func (l *Ledger) check(ctx context.Context, n Notice) error {
	switch {
	case !l.db.InTransaction(ctx):
		return errors.New("notices are told in the transaction of their change")
	case n.Kind == "" || n.ID == uuid.Nil || n.Topic == "" || n.Edge == "":
		return errors.New("a notice lacks what it is about, its topic or its edge")
	case n.Phase != Problem && n.Phase != Recovery && n.Phase != Update:
		return fmt.Errorf("there is no phase %q of notices", n.Phase)
	}
	return nil
}

// way is a channel that a notice goes to.
type way struct {
	channel    uuid.UUID
	kind, lane string
	person     uuid.UUID
	after      int32
}

// told returns the channels of a recovery.
func (l *Ledger) told(ctx context.Context, n Notice, recovery uuid.UUID) ([]way, error) {
	rows, err := l.queries(ctx).ToldChannels(ctx, noticedb.ToldChannelsParams{AboutKind: n.Kind, AboutID: n.ID, Recovery: recovery})
	if err != nil {
		return nil, fmt.Errorf("find channels that know of the problem: %w", err)
	}
	ways := make([]way, len(rows))
	for i, r := range rows {
		ways[i] = way{channel: r.ID, kind: r.Kind, lane: r.Lane, person: store.Value(r.PersonID)}
	}
	return ways, nil
}

// ways returns the channels of recipients, and those who have none.
func (l *Ledger) ways(ctx context.Context, topic string, to []Recipient) ([]way, []Recipient, error) {
	asked, err := l.expand(ctx, to)
	if err != nil {
		return nil, nil, err
	}
	byKind := map[recipientKind][]uuid.UUID{}
	for _, r := range asked {
		byKind[r.kind] = append(byKind[r.kind], r.id)
	}
	var found []way
	for some := range slices.Chunk(byKind[toPerson], sliceSize) {
		ways, err := l.personal(ctx, topic, some)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, ways...)
	}
	reached := map[Recipient]bool{}
	for _, w := range found {
		reached[Person(w.person)] = true
	}
	for _, kind := range []recipientKind{toTeam, toPolicy} {
		if len(byKind[kind]) == 0 {
			continue
		}
		rows, err := l.queries(ctx).SharedChannels(ctx, noticedb.SharedChannelsParams{OwnerKind: string(kind), Owners: byKind[kind]})
		if err != nil {
			return nil, nil, fmt.Errorf("find channels of a %s: %w", kind, err)
		}
		for _, r := range rows {
			found = append(found, way{channel: r.ID, kind: r.Kind, lane: r.Lane})
			reached[Recipient{kind, r.OwnerID}] = true
		}
	}
	return found, slices.DeleteFunc(asked, func(r Recipient) bool { return reached[r] }), nil
}

// Way is how a recipient would get a notice.
type Way struct {
	Channel uuid.UUID
	Kind    string
	// Person is nil for a channel of a team or a policy.
	Person *uuid.UUID
	// After is the time of the person's own rule.
	After time.Duration
}

// Ways returns by which channels a notice of a topic would go to recipients now, and those whom none would reach. It writes
// nothing but the channel of each account.
func (l *Ledger) Ways(ctx context.Context, topic string, to ...Recipient) ([]Way, []Recipient, error) {
	found, unreached, err := l.ways(ctx, topic, to)
	if err != nil {
		return nil, nil, err
	}
	ways := make([]Way, len(found))
	for i, w := range found {
		ways[i] = Way{Channel: w.channel, Kind: w.kind, After: time.Duration(w.after) * time.Second}
		if w.person != uuid.Nil {
			ways[i].Person = &w.person
		}
	}
	return ways, unreached, nil
}

// expand replaces teams by their members where these are meant, and leaves out what is there twice.
func (l *Ledger) expand(ctx context.Context, to []Recipient) ([]Recipient, error) {
	seen := map[Recipient]bool{}
	var asked []Recipient
	add := func(r Recipient) {
		if !seen[r] {
			seen[r], asked = true, append(asked, r)
		}
	}
	var teams []uuid.UUID
	for _, r := range to {
		if r.kind == toMembers {
			teams = append(teams, r.id)
		} else {
			add(r)
		}
	}
	if len(teams) == 0 {
		return asked, nil
	}
	members, err := l.queries(ctx).MembersOf(ctx, teams)
	if err != nil {
		return nil, fmt.Errorf("list members of teams: %w", err)
	}
	for _, id := range members {
		add(Person(id))
	}
	return asked, nil
}

func (l *Ledger) personal(ctx context.Context, topic string, people []uuid.UUID) ([]way, error) {
	q := l.queries(ctx)
	if err := q.AddAccountChannels(ctx, people); err != nil {
		return nil, fmt.Errorf("add channels of accounts: %w", err)
	}
	rows, err := q.PersonalChannels(ctx, noticedb.PersonalChannelsParams{Topic: topic, People: people})
	if err != nil {
		return nil, fmt.Errorf("find channels of people: %w", err)
	}
	found := make([]way, len(rows))
	for i, r := range rows {
		found[i] = way{channel: r.ID, kind: r.Kind, lane: r.Lane, person: r.OwnerID, after: r.AfterSeconds}
	}
	return found, nil
}

func (l *Ledger) deliver(ctx context.Context, notification uuid.UUID, delay time.Duration, ways []way) ([]Delivery, error) {
	p := noticedb.AddDeliveriesParams{NotificationID: notification, DelaySeconds: delay.Seconds()}
	for _, w := range ways {
		p.Channels, p.Kinds, p.People = append(p.Channels, w.channel), append(p.Kinds, w.kind), append(p.People, w.person)
		p.Lanes, p.After = append(p.Lanes, w.lane), append(p.After, w.after)
	}
	rows, err := l.queries(ctx).AddDeliveries(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("add deliveries: %w", err)
	}
	added := make([]Delivery, len(rows))
	for i, r := range rows {
		added[i] = Delivery{ID: r.ID, Channel: r.ChannelID, Kind: r.ChannelKind, Person: r.PersonID, DueAt: r.NextAt}
	}
	return added, nil
}

// Stop says which deliveries are no longer wanted.
type Stop struct {
	About
	// Person is whose deliveries end; nil for those of all people and channels.
	Person *uuid.UUID
	// Topic is that of the notices whose deliveries end; empty for all.
	Topic string
	// Ahead leaves out deliveries whose time has come: those in retry, held or next in line are still wanted.
	Ahead bool
	// Reason is a sentence for the log of deliveries, such as "Acknowledged by Ada.".
	Reason string
	// Phases are what ends; problems and updates when empty.
	Phases []Phase
}

// Stop ends what waits about a record, in the transaction of ctx, and returns how many. A message
// that is being sent may still arrive, and is not retried. Recoveries stay unless the call names them.
func (l *Ledger) Stop(ctx context.Context, s Stop) (int, error) {
	phases := []string{}
	for _, p := range s.Phases {
		phases = append(phases, string(p))
	}
	if len(phases) == 0 {
		phases = []string{string(Problem), string(Update)}
	}
	stopped, err := l.queries(ctx).StopDeliveries(ctx, noticedb.StopDeliveriesParams{
		AboutKind: s.Kind, AboutID: s.ID, PersonID: s.Person, Topic: s.Topic, Ahead: s.Ahead, Reason: s.Reason, Phases: phases,
	})
	if err != nil {
		return 0, fmt.Errorf("stop deliveries: %w", err)
	}
	return len(stopped), nil
}

// Recheck lets what mutes hold about systems be looked at now: a mute has ended, or has become shorter.
func (l *Ledger) Recheck(ctx context.Context, systems ...uuid.UUID) error {
	held, err := l.queries(ctx).Recheck(ctx, systems)
	if err != nil {
		return fmt.Errorf("look at held deliveries: %w", err)
	}
	if held == 0 {
		return nil
	}
	return l.wake(ctx)
}

func (l *Ledger) wake(ctx context.Context) error {
	if err := l.queries(ctx).Wake(ctx, Channel); err != nil {
		return fmt.Errorf("wake the senders: %w", err)
	}
	return nil
}

// State is that of a delivery.
type State string

// Waiting deliveries have ended when they are Sent, Unknown (the message may have arrived), Failed, Suppressed (nothing was
// to be told) or Stopped (no longer wanted).
const (
	Waiting    State = "waiting"
	Sent       State = "sent"
	Unknown    State = "unknown"
	Failed     State = "failed"
	Suppressed State = "suppressed"
	Stopped    State = "stopped"
)
