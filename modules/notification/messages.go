package notification

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
	"countersign/internal/text"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/notificationdb"
)

// AboutMessage is the kind of messages of people to subscribers.
const AboutMessage = "message"

const (
	maxMessage       = 2000
	subscribedSystem = "system"
	subscribedGroup  = "group"
	// The pages of what a message is about.
	systemPage = "/health/systems/"
	groupPage  = "/catalog/groups/"
)

// NewMessage is a message to those who subscribe to a system or a group.
type NewMessage struct {
	Message string `json:"message" minLength:"1" maxLength:"2000"`
}

// SentMessage is what a message has set off.
type SentMessage struct {
	ID       uuid.UUID `json:"id"`
	Audience Audience  `json:"audience"`
}

// Audience is how many people a message reaches and how. It holds no names and no addresses.
type Audience struct {
	Name      string       `json:"name" doc:"Of the system or the group."`
	People    int          `json:"people" doc:"People whom it reaches."`
	Unreached int          `json:"unreached" doc:"Subscribers without a channel for such messages."`
	Channels  []ChannelUse `json:"channels" nullable:"false" doc:"Through which kinds of channels, most used first."`
}

// ChannelUse is the number of channels of a kind.
type ChannelUse struct {
	Kind  channel.Kind `json:"kind" enum:"email,webhook,slack,teams,discord,ntfy,push"`
	Count int          `json:"count"`
}

// subscribed returns the subscribers of a system or a group that the caller may see, and its name.
func (s *service) subscribed(ctx context.Context, kind string, id uuid.UUID) (string, []notice.Recipient, error) {
	if !principal.FromContext(ctx).Has(Send) {
		return "", nil, problem.MissingRule("send messages to subscribers", Send)
	}
	name, err := s.systems.Name(ctx, "catalog."+kind, id)
	if err != nil {
		return "", nil, err
	}
	if kind == subscribedSystem {
		to, err := s.subscribers(ctx, AboutSystem, id)
		return name, to, err
	}
	ids, err := s.queries(ctx).Subscribers(ctx, notificationdb.SubscribersParams{Systems: []uuid.UUID{}, Groups: []uuid.UUID{id}})
	if err != nil {
		return "", nil, fmt.Errorf("find subscribers of a group: %w", err)
	}
	to := make([]notice.Recipient, len(ids))
	for i, id := range ids {
		to[i] = notice.Person(id)
	}
	return name, to, nil
}

// Audience counts whom a message would reach now.
func (s *service) Audience(ctx context.Context, kind string, id uuid.UUID) (Audience, error) {
	name, to, err := s.subscribed(ctx, kind, id)
	if err != nil {
		return Audience{}, err
	}
	ways, unreached, err := s.ledger.Ways(ctx, TopicMessage, to...)
	if err != nil {
		return Audience{}, err
	}
	kinds := make([]string, len(ways))
	for i, w := range ways {
		kinds[i] = w.Kind
	}
	return audienceOf(name, len(to)-len(unreached), len(unreached), kinds), nil
}

func audienceOf(name string, people, unreached int, kinds []string) Audience {
	out, count := Audience{Name: name, People: people, Unreached: unreached, Channels: []ChannelUse{}}, map[string]int{}
	for _, kind := range kinds {
		count[kind]++
	}
	for kind, n := range count {
		out.Channels = append(out.Channels, ChannelUse{channel.Kind(kind), n})
	}
	slices.SortFunc(out.Channels, func(a, b ChannelUse) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Kind, b.Kind)) })
	return out
}

// messageLimit lets a person send ten messages at will, and one in a quarter of an hour after some more.
var messageLimit = throttle.Rule{
	Name: "messages to subscribers", FreeFailures: 10, FirstWait: time.Minute, MaxWait: 15 * time.Minute, Window: time.Hour,
}

// Message sends a message to the subscribers of a system or a group.
func (s *service) Message(ctx context.Context, kind string, id uuid.UUID, message string) (SentMessage, error) {
	var v problem.Issues
	message = text.Required(&v, "message", text.Lines(&v, "message", message, maxMessage))
	if err := v.Err(); err != nil {
		return SentMessage{}, err
	}
	if err := s.mayMessage(ctx); err != nil {
		return SentMessage{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (SentMessage, error) {
		name, to, err := s.subscribed(ctx, kind, id)
		if err != nil {
			return SentMessage{}, err
		}
		out := SentMessage{ID: store.NewID()}
		if err := s.queries(ctx).AddMessage(ctx, notificationdb.AddMessageParams{
			ID: out.ID, Kind: kind, RefID: id, Text: message, SenderName: principal.FromContext(ctx).Name,
		}); err != nil {
			return SentMessage{}, fmt.Errorf("add message: %w", err)
		}
		n := notice.Notice{
			About: notice.About{Kind: AboutMessage, ID: out.ID}, Topic: TopicMessage, Edge: "message", Phase: notice.Update,
		}
		told, err := s.ledger.Tell(ctx, n, to...)
		if err != nil {
			return SentMessage{}, err
		}
		kinds := make([]string, len(told.Deliveries))
		for i, d := range told.Deliveries {
			kinds[i] = d.Kind
		}
		out.Audience = audienceOf(name, len(to)-len(told.Unreached), len(told.Unreached), kinds)
		return out, audit.Record(ctx, s.db, audit.Event{
			Action: audit.Created, Object: audit.Object(messageType, out.ID, name), Summary: "Message sent to the subscribers of a " + kind,
		})
	})
}

// mayMessage counts a message of the caller, and refuses one too many. It is counted before it is sent, so that messages at the
// same time cannot pass together.
func (s *service) mayMessage(ctx context.Context) error {
	caller := principal.FromContext(ctx)
	if !caller.Has(Send) {
		return problem.MissingRule("send messages to subscribers", Send)
	}
	const tooMany = "You have sent too many messages to subscribers. Wait %s before the next one."
	return throttle.New(s.db).Attempt(ctx, tooMany, messageLimit.Bucket(caller.Key()))
}

// messageFacts reads a message as one of its receivers, who may see what it is about.
func (s *service) messageFacts(ctx context.Context, n notice.Notice) (notice.Facts, error) {
	row, err := s.queries(ctx).MessageByID(ctx, n.ID)
	if store.NoRows(err) {
		return notice.Facts{}, problem.Errorf(problem.NotFound, "There is no message with the id %s.", n.ID)
	}
	if err != nil {
		return notice.Facts{}, fmt.Errorf("load message: %w", err)
	}
	name, err := s.systems.Name(ctx, "catalog."+row.Kind, row.RefID)
	if err != nil {
		return notice.Facts{}, err
	}
	page := systemPage
	if row.Kind != subscribedSystem {
		page = groupPage
	}
	return notice.Facts{
		Title: "Message about " + name, Text: row.Text, Path: page + row.RefID.String(), Severity: notice.Info,
		Fields: []notice.Field{{Label: "From", Value: row.SenderName}},
	}, nil
}
