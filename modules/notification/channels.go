package notification

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/notice"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/notificationdb"
)

// associated binds a sealed configuration to its row.
func associated(id uuid.UUID) []byte { return []byte("notify_channels/" + id.String()) }

// signingKeyBytes is the length of a key that signs webhooks; keyOverlap is how long a replaced one still signs.
const (
	signingKeyBytes = 32
	keyOverlap      = 24 * time.Hour
)

func newKey() channel.Key {
	key := make([]byte, signingKeyBytes)
	_, _ = rand.Read(key)
	return channel.Key{Secret: key}
}

func invalid(path, message string) error {
	return problem.InvalidInput("The input is not right: "+path+" "+message+".", problem.Issue{Path: path, Message: message})
}

// Channels lists the channels of an owner, the address of the account first.
func (s *service) Channels(ctx context.Context, kind string, id *uuid.UUID) ([]Channel, error) {
	o, err := s.ownerOf(ctx, kind, id, ChannelRead)
	if err != nil {
		return nil, err
	}
	q := s.queries(ctx)
	if o.kind == ownerPerson {
		if err := q.AddAccountChannel(ctx, o.id); err != nil {
			return nil, fmt.Errorf("add the channel of the account: %w", err)
		}
	}
	rows, err := q.Channels(ctx, notificationdb.ChannelsParams{OwnerKind: o.kind, OwnerID: o.id})
	if err != nil {
		return nil, fmt.Errorf("list channels: %w", err)
	}
	list := make([]Channel, len(rows))
	for i, r := range rows {
		list[i] = shown(r)
	}
	return list, nil
}

// Channel returns one channel that the caller may see.
func (s *service) Channel(ctx context.Context, id uuid.UUID) (Channel, error) {
	row, err := s.queries(ctx).Channel(ctx, id)
	row, err = s.visible(ctx, id, row, err, ChannelRead)
	return shown(row), err
}

// Create makes a channel.
func (s *service) Create(ctx context.Context, in NewChannel) (CreatedChannel, error) {
	o, err := s.ownerOf(ctx, in.OwnerKind, in.OwnerID, ChannelManage)
	if err != nil {
		return CreatedChannel{}, err
	}
	var v problem.Issues
	config := channel.Config{Address: in.Address, URL: in.URL, Token: in.Token, Auth: in.Auth, P256DH: in.P256DH}
	if in.Kind == channel.Webhook {
		config.Keys = []channel.Key{newKey()}
	}
	if in.Kind == channel.Email && o.kind == ownerPerson {
		v.Report("kind", "must not be email for a person: the e-mail address of the account is a channel already")
	}
	name := named(&v, in.Name)
	ready := check(&v, in.Kind, config)
	if err := v.Err(); err != nil {
		return CreatedChannel{}, err
	}
	id := store.NewID()
	sealed, err := s.seal(id, ready.config)
	if err != nil {
		return CreatedChannel{}, err
	}
	row, err := store.InTx(ctx, s.db, func(ctx context.Context) (notificationdb.NotifyChannel, error) {
		q := s.queries(ctx)
		if err := q.LockOwner(ctx, o.id.String()); err != nil {
			return notificationdb.NotifyChannel{}, fmt.Errorf("lock the channels of the owner: %w", err)
		}
		n, err := q.CountChannels(ctx, notificationdb.CountChannelsParams{OwnerKind: o.kind, OwnerID: o.id})
		if err != nil {
			return notificationdb.NotifyChannel{}, fmt.Errorf("count channels: %w", err)
		}
		if n >= MaxChannels {
			return notificationdb.NotifyChannel{}, problem.Errorf(problem.Conflict, "There are %d channels, which is the most. Delete one first.", n)
		}
		row, err := q.CreateChannel(ctx, notificationdb.CreateChannelParams{
			ID: id, OwnerKind: o.kind, OwnerID: o.id, Kind: string(in.Kind), Name: name, Lane: ready.lane, Target: ready.target, Config: sealed,
		})
		if err != nil {
			return row, fmt.Errorf("create channel: %w", err)
		}
		return row, s.audited(ctx, audit.Created, row, "Notification channel created")
	})
	if err != nil {
		return CreatedChannel{}, err
	}
	made := CreatedChannel{Channel: shown(row)}
	if len(config.Keys) > 0 {
		made.SigningSecret = config.Keys[0].Text()
	}
	return made, nil
}

// Provide makes a channel as the principal of ctx unless its owner has one of the name. The product itself makes channels with
// it: the API takes them from people alone.
func (m *Module) Provide(ctx context.Context, in NewChannel) error {
	list, err := m.service.Channels(ctx, in.OwnerKind, in.OwnerID)
	if err != nil || slices.ContainsFunc(list, func(c Channel) bool { return c.Name == in.Name }) {
		return err
	}
	_, err = m.service.Create(ctx, in)
	return err
}

func (s *service) seal(id uuid.UUID, c channel.Config) ([]byte, error) {
	plain, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write the configuration of a channel: %w", err)
	}
	return s.sealer.Seal(plain, associated(id))
}

func (s *service) open(row notificationdb.NotifyChannel) (channel.Config, error) {
	var c channel.Config
	if row.IsAccount {
		return c, nil
	}
	plain, err := s.sealer.Open(row.ConfigSealed, associated(row.ID))
	if err != nil {
		return c, fmt.Errorf("open the configuration of channel %s: %w", row.ID, err)
	}
	if json.Unmarshal(plain, &c) != nil {
		return c, fmt.Errorf("the configuration of channel %s cannot be read", row.ID)
	}
	return c, nil
}

// hold locks a channel for a change by the caller, and checks its revision.
func (s *service) holdChannel(ctx context.Context, id uuid.UUID, based *int64) (notificationdb.NotifyChannel, error) {
	row, err := s.queries(ctx).LockChannel(ctx, id)
	if row, err = s.visible(ctx, id, row, err, ChannelManage); err != nil {
		return row, err
	}
	return row, problem.CheckRevision("channel "+row.Name, row.Revision, based)
}

// Update changes a channel.
func (s *service) Update(ctx context.Context, id uuid.UUID, c ChannelChange, based *int64) (Channel, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Channel, error) {
		row, err := s.holdChannel(ctx, id, based)
		if err != nil {
			return Channel{}, err
		}
		config, err := s.open(row)
		if err != nil {
			return Channel{}, err
		}
		var v problem.Issues
		p := notificationdb.UpdateChannelParams{
			ID: id, Name: row.Name, Lane: row.Lane, Target: row.Target, Config: row.ConfigSealed, IsEnabled: row.IsEnabled,
		}
		if c.Name != nil {
			p.Name = named(&v, *c.Name)
		}
		if c.Enabled != nil {
			p.IsEnabled = *c.Enabled
		}
		if c.URL != nil || c.Address != nil || c.Token != nil {
			if row.IsAccount {
				v.Report("address", "must be changed in the account")
				return Channel{}, v.Err()
			}
			moved(&config, c)
			ready := check(&v, channel.Kind(row.Kind), config)
			if p.Config, err = s.seal(id, ready.config); err != nil {
				return Channel{}, err
			}
			p.Lane, p.Target = ready.lane, ready.target
		}
		if err := v.Err(); err != nil {
			return Channel{}, err
		}
		if row, err = s.queries(ctx).UpdateChannel(ctx, p); err != nil {
			return Channel{}, fmt.Errorf("update channel: %w", err)
		}
		return shown(row), s.audited(ctx, audit.Changed, row, "Notification channel changed")
	})
}

// moved applies a change to a configuration. A token goes to no other address than the one that it was entered for.
func moved(config *channel.Config, c ChannelChange) {
	if c.URL != nil {
		config.URL, config.Token = *c.URL, ""
	}
	if c.Address != nil {
		config.Address = *c.Address
	}
	if c.Token != nil {
		config.Token = *c.Token
	}
}

// Delete removes a channel, and stops the deliveries that wait for it.
func (s *service) Delete(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.holdChannel(ctx, id, based)
		if err != nil {
			return err
		}
		if row.IsAccount {
			return problem.Errorf(problem.Conflict, "The e-mail address of the account cannot be deleted. Switch the channel off instead.")
		}
		q := s.queries(ctx)
		if _, err := q.DeleteChannel(ctx, id); err != nil {
			return fmt.Errorf("delete channel: %w", err)
		}
		if err := q.StopChannel(ctx, notificationdb.StopChannelParams{Ids: []uuid.UUID{id}, Reason: reasonGone}); err != nil {
			return fmt.Errorf("stop deliveries: %w", err)
		}
		return s.audited(ctx, audit.Deleted, row, "Notification channel deleted")
	})
}

// Rotate gives a webhook a new signing secret. The old one signs beside it for a day.
func (s *service) Rotate(ctx context.Context, id uuid.UUID, based *int64) (CreatedChannel, error) {
	key := newKey()
	row, err := store.InTx(ctx, s.db, func(ctx context.Context) (notificationdb.NotifyChannel, error) {
		row, err := s.holdChannel(ctx, id, based)
		if err != nil {
			return row, err
		}
		if channel.Kind(row.Kind) != channel.Webhook {
			return row, problem.Errorf(problem.Conflict, "Only webhooks have a signing secret.")
		}
		config, err := s.open(row)
		if err != nil {
			return row, err
		}
		now, err := s.db.Now(ctx)
		if err != nil {
			return row, err
		}
		keys := []channel.Key{key}
		if len(config.Keys) > 0 {
			last := config.Keys[0]
			until := now.Add(keyOverlap)
			last.Until = &until
			keys = append(keys, last)
		}
		config.Keys = keys
		sealed, err := s.seal(id, config)
		if err != nil {
			return row, err
		}
		row, err = s.queries(ctx).UpdateChannel(ctx, notificationdb.UpdateChannelParams{
			ID: id, Name: row.Name, Lane: row.Lane, Target: row.Target, Config: sealed, IsEnabled: row.IsEnabled,
		})
		if err != nil {
			return row, fmt.Errorf("update channel: %w", err)
		}
		return row, s.audited(ctx, audit.Changed, row, "Signing secret of a notification channel replaced")
	})
	return CreatedChannel{Channel: shown(row), SigningSecret: key.Text()}, err
}

// TestResult is the end of a test message.
type TestResult struct {
	Result channel.Result `json:"result" enum:"sent,uncertain,temporary,permanent"`
	Reason string         `json:"reason,omitempty" doc:"Why it was not sent."`
}

// channelTests lets a channel be tested once a minute: its receiver has not asked for the messages.
var channelTests = throttle.Rule{
	Name: "test of a notification channel", FreeFailures: 1, FirstWait: time.Minute, MaxWait: time.Minute, Window: time.Minute,
}

// Test sends a test message at once, and waits for its end.
func (s *service) Test(ctx context.Context, id uuid.UUID) (TestResult, error) {
	row, err := s.queries(ctx).Channel(ctx, id)
	if row, err = s.visible(ctx, id, row, err, ChannelManage); err != nil {
		return TestResult{}, err
	}
	const tooSoon = "A channel is tested once a minute. Wait %s before the next test."
	if err := throttle.New(s.db).Attempt(ctx, tooSoon, channelTests.Bucket(id.String())); err != nil {
		return TestResult{}, err
	}
	full, err := s.queries(ctx).ChannelsOf(ctx, []uuid.UUID{id})
	if err != nil {
		return TestResult{}, fmt.Errorf("load channel: %w", err)
	}
	if len(full) == 0 {
		return TestResult{}, problem.Errorf(problem.NotFound, "The channel was deleted meanwhile.")
	}
	config, settings, err := s.configOf(ctx, full[0])
	if err != nil {
		return TestResult{}, err
	}
	outcome := s.sender.Send(ctx, channel.Kind(row.Kind), config, settings, testMessage(id, full[0].Now))
	if err := s.queries(context.WithoutCancel(ctx)).SetTested(context.WithoutCancel(ctx), notificationdb.SetTestedParams{
		ID: id, Config: row.ConfigSealed, Result: string(outcome.Result), Reason: outcome.Reason,
	}); err != nil {
		return TestResult{}, fmt.Errorf("keep the end of a test: %w", err)
	}
	return TestResult{Result: outcome.Result, Reason: outcome.Reason}, nil
}

func testMessage(id uuid.UUID, now time.Time) channel.Message {
	return channel.Message{Part: channel.Part{
		Delivery: store.NewID(), About: notice.About{Kind: "channel", ID: id}, Topic: TopicTest, Edge: "test", Phase: notice.Update, At: now,
		Facts: notice.Facts{
			Title: "A test of your notifications", Text: "If you read this, the channel works.", Path: "/docs/concepts/notifications",
		},
	}}
}

// TopicTest is the topic of test messages.
const TopicTest = "notification.test"
