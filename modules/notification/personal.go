package notification

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/calendar"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/notification/notificationdb"
)

// Rule is when a person wants to know of a topic by a channel.
type Rule struct {
	Topic        string    `json:"topic,omitempty" maxLength:"100" doc:"Absent for all topics without rules of their own."`
	ChannelID    uuid.UUID `json:"channelId"`
	AfterSeconds int       `json:"afterSeconds" minimum:"0" maximum:"86400" doc:"0 for at once."`
}

// Topic is something that people choose to know of.
type Topic struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Description string `json:"description"`
}

// Preferences are how a person wants to know.
type Preferences struct {
	Rules      []Rule   `json:"rules" nullable:"false" doc:"Without any rule, all channels are used at once."`
	QuietHours string   `json:"quietHours" doc:"Such as mon-fri 22:00-07:00; empty for none. Calls of an escalation come through."`
	Zone       string   `json:"zone" doc:"The time zone of the quiet hours."`
	Off        []string `json:"off" nullable:"false" doc:"Topics that the person does not want to know of."`
	Topics     []Topic  `json:"topics" nullable:"false" doc:"All topics."`
	rest.Revised
}

// NewPreferences replaces them.
type NewPreferences struct {
	Rules      []Rule   `json:"rules" maxItems:"100" nullable:"false"`
	QuietHours string   `json:"quietHours,omitempty" maxLength:"100"`
	Zone       string   `json:"zone,omitempty" maxLength:"100" doc:"UTC when absent."`
	Off        []string `json:"off,omitempty" maxItems:"100"`
}

// person refuses callers who are no people.
func person(ctx context.Context) (uuid.UUID, error) {
	caller := principal.FromContext(ctx)
	if caller.Kind != principal.User {
		return uuid.Nil, problem.Errorf(problem.Forbidden, "Only people have notification rules and subscriptions. Sign in as a person.")
	}
	return caller.ID, nil
}

func (s *service) topics() []Topic {
	topics := []Topic{}
	for _, subject := range s.offers.Notices() {
		for _, t := range subject.Topics {
			topics = append(topics, Topic(t))
		}
	}
	slices.SortFunc(topics, func(a, b Topic) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return topics
}

// Preferences returns those of the caller.
func (s *service) Preferences(ctx context.Context) (Preferences, error) {
	id, err := person(ctx)
	if err != nil {
		return Preferences{}, err
	}
	row, err := s.queries(ctx).Preferences(ctx, id)
	if store.NoRows(err) {
		row, err = notificationdb.NotifyPerson{UserID: id, Zone: "UTC", Revision: 1}, nil
	}
	if err != nil {
		return Preferences{}, fmt.Errorf("load preferences: %w", err)
	}
	return s.shownPreferences(ctx, row)
}

func (s *service) shownPreferences(ctx context.Context, row notificationdb.NotifyPerson) (Preferences, error) {
	rules, err := s.queries(ctx).RulesOf(ctx, row.UserID)
	if err != nil {
		return Preferences{}, fmt.Errorf("list rules: %w", err)
	}
	out := Preferences{
		Rules: []Rule{}, QuietHours: row.QuietHours, Zone: row.Zone, Off: append([]string{}, row.Off...), Topics: s.topics(),
		Revised: rest.Revised{Revision: row.Revision},
	}
	for _, r := range rules {
		out.Rules = append(out.Rules, Rule{Topic: r.Topic, ChannelID: r.ChannelID, AfterSeconds: int(r.AfterSeconds)})
	}
	return out, nil
}

// SetPreferences replaces those of the caller. They hold for notices from then on.
func (s *service) SetPreferences(ctx context.Context, in NewPreferences, based *int64) (Preferences, error) {
	id, err := person(ctx)
	if err != nil {
		return Preferences{}, err
	}
	if in.Zone == "" {
		in.Zone = "UTC"
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Preferences, error) {
		q := s.queries(ctx)
		row, err := q.LockPreferences(ctx, id)
		if err != nil {
			return Preferences{}, fmt.Errorf("lock preferences: %w", err)
		}
		if err := problem.CheckRevision("notification rules", row.Revision, based); err != nil {
			return Preferences{}, err
		}
		if err := s.checkPreferences(ctx, id, in); err != nil {
			return Preferences{}, err
		}
		add := notificationdb.AddRulesParams{UserID: id, Topics: []string{}, Channels: []uuid.UUID{}, After: []int32{}}
		for _, r := range in.Rules {
			add.Topics, add.Channels, add.After = append(
				add.Topics,
				r.Topic,
			), append(
				add.Channels,
				r.ChannelID,
			), append(
				add.After,
				int32(r.AfterSeconds),
			)
		}
		if err := q.DeleteRules(ctx, id); err != nil {
			return Preferences{}, fmt.Errorf("delete rules: %w", err)
		}
		if err := q.AddRules(ctx, add); err != nil {
			return Preferences{}, fmt.Errorf("add rules: %w", err)
		}
		if row, err = q.SetPreferences(ctx, notificationdb.SetPreferencesParams{
			UserID: id, QuietHours: in.QuietHours, Zone: in.Zone, Off: append([]string{}, in.Off...),
		}); err != nil {
			return Preferences{}, fmt.Errorf("set preferences: %w", err)
		}
		if err := audit.Record(ctx, s.db, audit.Event{
			Action: audit.Changed, Object: audit.Object(personType, id, ""), Summary: "Notification rules set",
		}); err != nil {
			return Preferences{}, err
		}
		return s.shownPreferences(ctx, row)
	})
}

func (s *service) checkPreferences(ctx context.Context, id uuid.UUID, in NewPreferences) error {
	var v problem.Issues
	zone, err := time.LoadLocation(in.Zone)
	if err != nil || in.Zone == "Local" {
		v.Report("zone", "must be a time zone such as Europe/Berlin")
		zone = time.UTC
	}
	if in.QuietHours != "" {
		if _, err := calendar.ParseQuietHours(in.QuietHours, zone); err != nil {
			v.Report("quietHours", "must be hours such as 22:00-07:00 or mon-fri 22:00-07:00")
		}
	}
	channels, err := s.queries(ctx).Channels(ctx, notificationdb.ChannelsParams{OwnerKind: ownerPerson, OwnerID: id})
	if err != nil {
		return fmt.Errorf("list channels: %w", err)
	}
	known := map[string]bool{"": true}
	for _, t := range s.topics() {
		known[t.ID] = true
	}
	seen := map[Rule]bool{}
	for i, r := range in.Rules {
		at := fmt.Sprintf("rules[%d]", i)
		if !slices.ContainsFunc(channels, func(c notificationdb.NotifyChannel) bool { return c.ID == r.ChannelID }) {
			v.Report(at+".channelId", "names no channel of yours")
		}
		if !known[r.Topic] {
			v.Report(at+".topic", "is no topic")
		}
		key := Rule{Topic: r.Topic, ChannelID: r.ChannelID}
		if seen[key] {
			v.Report(at, "has the topic and the channel of an earlier rule")
		}
		seen[key] = true
	}
	for i, topic := range in.Off {
		if topic == "" || !known[topic] {
			v.Report(fmt.Sprintf("off[%d]", i), "is no topic")
		}
	}
	return v.Err()
}

// Subscription is a system or a group whose changes a person wants to know of.
type Subscription struct {
	Kind      string    `json:"kind" enum:"system,group"`
	ID        uuid.UUID `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
}

// Subscriptions lists those of the caller.
func (s *service) Subscriptions(ctx context.Context) ([]Subscription, error) {
	id, err := person(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.queries(ctx).SubscriptionsOf(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	list := make([]Subscription, len(rows))
	for i, r := range rows {
		list[i] = Subscription{r.Kind, r.RefID, r.CreatedAt}
	}
	return list, nil
}

// Subscribed says whether a call changed a subscription.
type Subscribed struct {
	Subscribed bool `json:"subscribed"`
	Changed    bool `json:"changed" doc:"Whether this call did it; false when it was so before."`
}

// Subscribe lets the caller know of a system or a group that they may see.
func (s *service) Subscribe(ctx context.Context, kind string, ref uuid.UUID) (Subscribed, error) {
	id, err := person(ctx)
	if err != nil {
		return Subscribed{}, err
	}
	if err := s.systems.See(ctx, "catalog."+kind, ref); err != nil {
		return Subscribed{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Subscribed, error) {
		q := s.queries(ctx)
		if _, err := q.LockPreferences(ctx, id); err != nil {
			return Subscribed{}, fmt.Errorf("lock preferences: %w", err)
		}
		n, err := q.CountSubscriptions(ctx, id)
		if err != nil {
			return Subscribed{}, fmt.Errorf("count subscriptions: %w", err)
		}
		if n >= MaxSubscriptions {
			return Subscribed{}, problem.Errorf(problem.Conflict, "You have %d subscriptions, which is the most. Subscribe to a group instead.", n)
		}
		// Messages to subscribers are counted without a change.
		if err := q.AddAccountChannel(ctx, id); err != nil {
			return Subscribed{}, fmt.Errorf("add the channel of the account: %w", err)
		}
		added, err := q.Subscribe(ctx, notificationdb.SubscribeParams{UserID: id, Kind: kind, RefID: ref})
		if err != nil {
			return Subscribed{}, fmt.Errorf("subscribe: %w", err)
		}
		return Subscribed{true, added > 0}, s.recordSubscription(ctx, id, added, "Subscribed to a "+kind)
	})
}

// Unsubscribe ends a subscription of the caller.
func (s *service) Unsubscribe(ctx context.Context, kind string, ref uuid.UUID) (Subscribed, error) {
	id, err := person(ctx)
	if err != nil {
		return Subscribed{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Subscribed, error) {
		removed, err := s.queries(ctx).Unsubscribe(ctx, notificationdb.UnsubscribeParams{UserID: id, Kind: kind, RefID: ref})
		if err != nil {
			return Subscribed{}, fmt.Errorf("unsubscribe: %w", err)
		}
		return Subscribed{false, removed > 0}, s.recordSubscription(ctx, id, removed, "Subscription to a "+kind+" ended")
	})
}

func (s *service) recordSubscription(ctx context.Context, id uuid.UUID, changed int64, summary string) error {
	if changed == 0 {
		return nil
	}
	return audit.Record(ctx, s.db, audit.Event{Action: audit.Changed, Object: audit.Object(personType, id, ""), Summary: summary})
}
