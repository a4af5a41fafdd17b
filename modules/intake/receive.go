package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
	"countersign/internal/text"
	"countersign/modules/intake/alert"
	"countersign/modules/intake/intakedb"
)

// source is a source at a moment of the database clock.
type source struct {
	intakedb.IntakeSource

	now time.Time
}

func (s source) kind() alert.Kind { return alert.Kind(s.Kind) }

// Rate limits of a source, which has a bucket of its own in each: a sender in a loop, and one without the right secret, hold up no
// other source, and the wrong one does not hold up the right one. Senders repeat what is refused so.
var (
	often = throttle.Rule{
		Name: "intake/often", FreeFailures: 120, FirstWait: 200 * time.Millisecond, MaxWait: 200 * time.Millisecond, Window: 10 * time.Second,
	}
	wrong = throttle.Rule{
		Name: "intake/wrong", FreeFailures: 30, FirstWait: 2 * time.Second, MaxWait: time.Minute, Window: 15 * time.Minute,
	}
	fetches = throttle.Rule{
		Name: "intake/certificates", FreeFailures: 10, FirstWait: 30 * time.Second, MaxWait: 5 * time.Minute, Window: 15 * time.Minute,
	}
)

// Answers of these limits.
const (
	tooOften = "The source sends too much: at most five payloads a second after the first %d. Wait %%s and send this one again."
	tooWrong = "Too many payloads of this address could not be authenticated. Wait %s, and check the secret of the sender."
	tooNew   = "Too many signing certificates were named for this source. Wait %s and send the message again."
)

// maxReason bounds why a payload was refused, in characters.
const maxReason = 300

// Receive takes what a sender has sent to an address. A request that is refused writes nothing but when and why.
func (s *service) Receive(ctx context.Context, token string, r request) (Received, error) {
	row, err := s.queries(ctx).SourceByToken(ctx, hashOf(token))
	if store.NoRows(err) {
		return Received{}, problem.Errorf(problem.NotFound, "No source of alerts has this address. It may have been replaced or deleted.")
	}
	if err != nil {
		return Received{}, fmt.Errorf("find source of alerts: %w", err)
	}
	now, err := s.db.Now(ctx)
	if err != nil {
		return Received{}, err
	}
	done, err := s.take(ctx, source{row, now}, r)
	if problem.Is(err, problem.Unauthorized) {
		if limited := s.limit.Attempt(ctx, tooWrong, wrong.Bucket(row.ID.String())); limited != nil {
			return Received{}, limited
		}
	}
	if code := problem.CodeOf(err); err != nil && code != problem.Internal && code != problem.Unavailable {
		why := problem.As(err).Detail
		for _, issue := range problem.As(err).Issues {
			why += " " + issue.String() + "."
		}
		why = text.Shown(why, maxReason)
		if noted := s.queries(ctx).Refused(ctx, intakedb.RefusedParams{SourceID: row.ID, Reason: why}); noted != nil {
			return Received{}, fmt.Errorf("note a refused payload: %w", noted)
		}
	}
	return done, err
}

// take checks a request, reads it, and applies its alerts.
func (s *service) take(ctx context.Context, src source, r request) (Received, error) {
	sent, err := s.authenticate(ctx, src, r)
	if err != nil {
		return Received{}, err
	}
	if !src.IsEnabled {
		return Received{}, problem.Errorf(problem.Forbidden, "The source of alerts %s is switched off.", src.Name)
	}
	if err := s.limit.Attempt(ctx, fmt.Sprintf(tooOften, often.FreeFailures), often.Bucket(src.ID.String())); err != nil {
		return Received{}, err
	}
	if err := checkForm(src.kind(), r.header); err != nil {
		return Received{}, err
	}
	body := r.body
	switch sent.Type {
	case snsConfirmation:
		if err := s.sns.confirm(ctx, src.ID, sent); err != nil {
			return Received{}, err
		}
		err := s.queries(ctx).Confirmed(ctx, src.ID)
		return Received{Detail: "The subscription is confirmed."}, store.Wrap("note a subscription", err)
	case snsEnded:
		return Received{Detail: "The subscription has ended. Nothing follows from it."}, nil
	case snsNotification:
		body = []byte(sent.Message)
	}
	p, err := alert.Parse(src.kind(), body)
	if err != nil {
		return Received{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Received, error) { return s.apply(ctx, src.ID, p, r.body) })
}

// apply keeps a payload and brings incidents up to date, in one transaction.
func (s *service) apply(ctx context.Context, id uuid.UUID, p alert.Payload, body []byte) (Received, error) {
	q := s.queries(ctx)
	gone := problem.Errorf(problem.NotFound, "The source of alerts was deleted meanwhile.")
	if _, err := q.LockActivity(ctx, id); err != nil {
		if store.NoRows(err) {
			return Received{}, gone
		}
		return Received{}, fmt.Errorf("lock source: %w", err)
	}
	row, err := q.Source(ctx, id)
	if err != nil {
		return Received{}, fmt.Errorf("load source: %w", err)
	}
	if !row.IsEnabled {
		return Received{}, problem.Errorf(problem.Forbidden, "The source of alerts %s is switched off.", row.Name)
	}
	now, err := s.db.Now(ctx)
	if err != nil {
		return Received{}, err
	}
	digest := sha256.Sum256(body)
	kept, err := q.KeepPayload(ctx, intakedb.KeepPayloadParams{
		ID: store.NewID(), SourceID: id, Digest: digest[:], Body: string(body), Alerts: int32(len(p.Alerts)), Note: p.Note,
	})
	if err != nil {
		return Received{}, fmt.Errorf("keep a payload: %w", err)
	}
	if err := q.Received(ctx, id); err != nil {
		return Received{}, fmt.Errorf("note a payload: %w", err)
	}
	done := Received{Alerts: len(p.Alerts), Repeated: kept.Times > 1, Detail: p.Note}
	a := &application{service: s, source: source{row, now}, payload: kept.ID, done: &done}
	return done, a.run(ctx, p.Alerts)
}

// hashKey is a key of a sender in the form in which it is stored and compared.
func hashKey(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// incidentKey is the key of the incident of an alert.
func incidentKey(rules intakedb.Rules, a alert.Alert) string {
	if rules.GroupBy == ByGroup && a.Group != "" {
		return hashKey("group", a.Group)
	}
	return hashKey("alert", a.Key)
}

// dedupeKey is the key of an incident among those of the product. Nobody else may give one a key that begins with alert/.
func dedupeKey(source uuid.UUID, key string) string { return "alert/" + source.String() + "/" + key }
