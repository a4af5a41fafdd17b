package notification

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/crash"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/notificationdb"
)

// Reasons of deliveries.
const (
	reasonGone      = "Its channel is gone or switched off."
	reasonNoPerson  = "Its receiver is gone or disabled, or has no team whose grants it is read with."
	reasonHidden    = "The receiver may not see what it is about, or it is gone."
	reasonOver      = "It was over before it was sent."
	reasonUnknown   = "No problem of this was delivered to the channel, so its end was not either."
	reasonLost      = "The process ended while the message was being sent. It may have arrived."
	reasonAccepted  = "The receiver has accepted the message."
	reasonNoSubject = "This version does not know what it is about."
)

// held is why a delivery waits, and until when.
type held struct {
	by, reason string
	wait       time.Duration
}

// step takes a claimed delivery to its next state: it waits longer, ends without a message, or an attempt is made.
func (s *service) step(ctx context.Context, b batch, d notificationdb.ClaimRow) error {
	crash.Point("notification.after-claim", d.ID)
	row, ok := b.channels[d.ChannelID]
	if !ok || !row.IsEnabled {
		return s.finish(ctx, d, notice.Stopped, reasonGone)
	}
	kind := channel.Kind(row.Kind)
	if d.BegunAt != nil && (!kind.Idempotent() || d.CarriedBy != nil || d.Stopped != "") {
		return s.finish(ctx, d, notice.Unknown, reasonLost)
	}
	if d.BegunAt != nil {
		// Another attempt follows under the same id; this one ends as uncertain.
		return s.retry(ctx, d, channel.Outcome{Result: channel.Uncertain, Reason: reasonLost}, time.Millisecond)
	}
	if h, err := s.holds(ctx, b, d, row); err != nil || h != nil {
		if err != nil {
			return err
		}
		return s.hold(ctx, d, *h)
	}
	part, state, reason, err := s.part(ctx, b, d, row)
	if errors.Is(err, errInFlight) {
		return s.hold(ctx, d, held{reason: "Waits until the problem is delivered.", wait: time.Second})
	}
	if err != nil || state != "" {
		if err != nil {
			return err
		}
		return s.finish(ctx, d, state, reason)
	}
	carried, also, err := s.bundle(ctx, b, d, row)
	if err != nil {
		return err
	}
	return s.attempt(ctx, d, row, channel.Message{Part: part, Also: also}, carried)
}

// holds reports why a delivery has to wait: a mute, quiet hours, another message of its bundle, or the problem that it
// ends. Nothing but the last holds a recovery.
func (s *service) holds(
	ctx context.Context, b batch, d notificationdb.ClaimRow, row notificationdb.ChannelsOfRow,
) (*held, error) {
	if notice.Phase(d.Phase) == notice.Recovery {
		return nil, nil
	}
	if h := b.muted(d, row.Now); h != nil {
		return h, nil
	}
	if h := quiet(d, row); h != nil {
		return h, nil
	}
	return s.paced(ctx, d, row.Now)
}

// muted holds a notice all of whose systems are muted.
func (b batch) muted(d notificationdb.ClaimRow, now time.Time) *held {
	if len(d.Systems) == 0 {
		return nil
	}
	// It is looked at when the first mute ends.
	wait, reason := muteCheck, ""
	for _, system := range d.Systems {
		m, ok := b.mutes[system]
		if !ok {
			return nil
		}
		reason = m.Reason
		if left := m.Until.Sub(now); !m.Until.IsZero() && left < wait {
			wait = max(left, 0)
		}
	}
	return &held{"mute", "Muted by " + reason + ".", wait}
}

// muteCheck is how often a mute without a known end is looked at.
const muteCheck = time.Minute

// quiet holds what is not urgent in the quiet hours of its person. Hours or a zone that this version cannot read hold nothing.
func quiet(d notificationdb.ClaimRow, row notificationdb.ChannelsOfRow) *held {
	if row.QuietHours == "" || d.IsUrgent {
		return nil
	}
	zone, err := time.LoadLocation(row.Zone)
	if err != nil {
		return nil
	}
	hours, err := calendar.ParseQuietHours(row.QuietHours, zone)
	if err != nil {
		return nil
	}
	until, quiet := hours.Until(row.Now)
	if !quiet {
		return nil
	}
	return &held{"quiet", "Quiet hours until " + until.In(zone).Format("15:04 MST") + ".", until.Sub(row.Now)}
}

// bundlePace is the least time between two messages of a bundle to one channel.
const bundlePace = 30 * time.Second

func (s *service) paced(ctx context.Context, d notificationdb.ClaimRow, now time.Time) (*held, error) {
	if d.Bundle == "" || d.IsUrgent {
		return nil, nil
	}
	last, err := s.queries(ctx).BundleSent(ctx, notificationdb.BundleSentParams{ChannelID: d.ChannelID, Bundle: d.Bundle})
	if store.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at messages of the bundle: %w", err)
	}
	if wait := bundlePace - now.Sub(last); wait > 0 {
		return &held{"bundle", "Waits for others of its kind, to be one message with them.", wait}, nil
	}
	return nil, nil
}

// part reads what a delivery says now. A state other than "" ends it without a message.
func (s *service) part(
	ctx context.Context,
	b batch,
	d notificationdb.ClaimRow,
	row notificationdb.ChannelsOfRow,
) (channel.Part, notice.State, string, error) {
	none := channel.Part{}
	if notice.Phase(d.Phase) == notice.Recovery {
		knows, err := s.queries(ctx).Knows(ctx, notificationdb.KnowsParams{
			AboutKind: d.AboutKind, AboutID: d.AboutID, ChannelID: d.ChannelID, Before: d.CreatedAt,
		})
		switch {
		case err != nil:
			return none, "", "", fmt.Errorf("look for the problem of a recovery: %w", err)
		case knows.May:
			return none, "", "", errInFlight
		case !knows.Knows:
			return none, notice.Suppressed, reasonUnknown, nil
		}
	}
	subject, ok := s.subject(d.AboutKind)
	if !ok {
		return none, notice.Suppressed, reasonNoSubject, nil
	}
	reader, err := s.reader(ctx, b, row, subject)
	if err != nil {
		return none, "", "", err
	}
	if reader.IsZero() {
		return none, notice.Stopped, reasonNoPerson, nil
	}
	facts, err := subject.Facts(principal.NewContext(ctx, reader), noticeOf(d))
	if problem.Is(err, problem.NotFound) || problem.Is(err, problem.Forbidden) {
		return none, notice.Suppressed, reasonHidden, nil
	}
	if err != nil {
		return none, "", "", fmt.Errorf("read what is told: %w", err)
	}
	if facts.Over && notice.Phase(d.Phase) == notice.Problem && !d.IsUncertain {
		return none, notice.Suppressed, reasonOver, nil
	}
	return channel.Part{
		Delivery: d.ID, About: about(d), Topic: d.Topic, Edge: d.Edge, Phase: notice.Phase(d.Phase), Urgent: d.IsUrgent, At: d.CreatedAt,
		Facts: facts,
	}, "", "", nil
}

// maxBundled bounds the parts of a message.
const maxBundled = 19

// bundle claims others of the bundle that wait for the same channel. The others wait for their own turn.
func (s *service) bundle(
	ctx context.Context, b batch, d notificationdb.ClaimRow, row notificationdb.ChannelsOfRow,
) (carried []notificationdb.ClaimRow, parts []channel.Part, err error) {
	if d.Bundle == "" {
		return nil, nil, nil
	}
	rows, err := s.queries(ctx).ClaimBundle(ctx, notificationdb.ClaimBundleParams{
		Carrier: d.ID, LeaseSeconds: lease.Seconds(), ChannelID: d.ChannelID, Bundle: d.Bundle, Phase: d.Phase, MaxRows: maxBundled,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("claim the bundle: %w", err)
	}
	for _, r := range rows {
		one := notificationdb.ClaimRow(r)
		part, state, reason, err := s.part(ctx, b, one, row)
		switch {
		case err != nil:
			return nil, nil, err
		case state != "":
			if err := s.finish(ctx, one, state, reason); err != nil {
				return nil, nil, err
			}
		default:
			carried, parts = append(carried, one), append(parts, part)
		}
	}
	return carried, parts, nil
}

// attempt sends a message and records its end for all deliveries in it.
func (s *service) attempt(
	ctx context.Context, d notificationdb.ClaimRow, row notificationdb.ChannelsOfRow, m channel.Message, carried []notificationdb.ClaimRow,
) error {
	config, settings, err := s.configOf(ctx, row)
	if err != nil {
		return err
	}
	if begun, err := s.begin(ctx, d); err != nil || !begun {
		return err
	}
	d.Attempts++
	all := []notificationdb.ClaimRow{d}
	for i, one := range carried {
		begun, err := s.begin(ctx, one)
		if err != nil {
			return err
		}
		if !begun {
			m.Also[i].Delivery = uuid.Nil
			continue
		}
		one.Attempts++
		all = append(all, one)
	}
	m.Also = without(m.Also)
	crash.Point("notification.after-begin", d.ID)
	outcome := s.sender.Send(ctx, channel.Kind(row.Kind), config, settings, m)
	crash.Point("notification.after-send", d.ID)
	s.outcomes.WithLabelValues(row.Kind, string(outcome.Result)).Inc()
	for _, one := range all {
		if err := s.record(ctx, one, channel.Kind(row.Kind), outcome); err != nil {
			return err
		}
	}
	crash.Point("notification.after-record", d.ID)
	return nil
}

// without leaves out parts whose delivery was stopped before the message was sent.
func without(parts []channel.Part) []channel.Part {
	var kept []channel.Part
	for _, p := range parts {
		if p.Delivery != uuid.Nil {
			kept = append(kept, p)
		}
	}
	return kept
}

// configOf opens the configuration of a channel and reads the settings of the installation that its kind needs.
func (s *service) configOf(ctx context.Context, row notificationdb.ChannelsOfRow) (channel.Config, channel.Settings, error) {
	var config channel.Config
	if row.IsAccount {
		config.Address = row.Account
	} else {
		opened, err := s.sealer.Open(row.ConfigSealed, associated(row.ID))
		if err != nil {
			return config, channel.Settings{}, fmt.Errorf("open the configuration of channel %s: %w", row.ID, err)
		}
		if err := json.Unmarshal(opened, &config); err != nil {
			return config, channel.Settings{}, fmt.Errorf("the configuration of channel %s cannot be read", row.ID)
		}
	}
	if kind := channel.Kind(row.Kind); kind != channel.Email && kind != channel.Push {
		return config, channel.Settings{}, nil
	}
	settings, err := s.installation(ctx)
	return config, settings, err
}
