// Package heartbeat stores the last report of each monitored job (dead man's switch): one row per target.
package heartbeat

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"time"

	"countersign/check"
	"countersign/check/heartbeat/heartbeatdb"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
)

// Limits of a job's report.
const (
	MaxMessage  = 500 // characters; what is longer is cut
	MaxDuration = 366 * 24 * time.Hour
)

// Purpose is the key-derivation purpose of the key.
const Purpose = "heartbeats"

// Store records reports of jobs. It is safe for concurrent use.
type Store struct {
	db  *store.DB
	key []byte
}

// New makes a store. key is a permanent secret: its holder can report for any job.
func New(db *store.DB, key []byte) *Store { return &Store{db: db, key: key} }

// Report is one report.
type Report struct {
	// Failed reports that the job has failed.
	Failed   bool
	Message  string
	Duration time.Duration
	// Get reports that it came by GET, which only counts where the check accepts that.
	Get bool
}

// A token is a target, the generation of its address unless that is the first one, and their seal.
const (
	sealBytes  = 20
	firstBytes = 4
	laterBytes = 8
)

// Token returns the credential of a target's job. It is not stored, and reveals nothing about the check. The first
// generation of a target is 0.
func (s *Store) Token(target, generation int32) string {
	token := binary.BigEndian.AppendUint32(make([]byte, 0, laterBytes+sealBytes), uint32(target))
	if generation > 0 {
		token = binary.BigEndian.AppendUint32(token, uint32(generation))
	}
	return base64.RawURLEncoding.EncodeToString(append(token, s.seal(token)...))
}

func (s *Store) seal(content []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write(content)
	return mac.Sum(nil)[:sealBytes]
}

// parseToken parses a token; false for an invalid one.
func (s *Store) parseToken(token string) (target, generation int32, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) != firstBytes+sealBytes && len(raw) != laterBytes+sealBytes {
		return 0, 0, false
	}
	content, seal := raw[:len(raw)-sealBytes], raw[len(raw)-sealBytes:]
	if !hmac.Equal(seal, s.seal(content)) {
		return 0, 0, false
	}
	if len(content) == laterBytes {
		generation = int32(binary.BigEndian.Uint32(content[firstBytes:]))
	}
	return int32(binary.BigEndian.Uint32(content)), generation, true
}

// Replaced is the new address of a target.
type Replaced struct {
	Generation int32
	// FormerUntil is the time until which the old address stays valid.
	FormerUntil time.Time
}

// Replace gives a target a new token; the old one stays valid for the grace period, earlier ones do not. A removed
// target is NotFound.
func (s *Store) Replace(ctx context.Context, target int32, grace time.Duration) (Replaced, error) {
	row, err := heartbeatdb.New(s.db.Conn(ctx)).Replace(ctx, heartbeatdb.ReplaceParams{Target: target, Grace: grace.Seconds()})
	if store.NoRows(err) {
		return Replaced{}, problem.Errorf(problem.NotFound, "No job calls in there any more.")
	}
	if err != nil {
		return Replaced{}, fmt.Errorf("replace the address of a heartbeat: %w", err)
	}
	return Replaced(row), nil
}

// Receipt is the outcome of a report.
type Receipt struct {
	At time.Time
	// Active is false while the check is paused or disabled there.
	Active bool
}

// Call records a report. An invalid or replaced token and one of a removed target are the same NotFound.
func (s *Store) Call(ctx context.Context, token string, b Report) (Receipt, error) {
	unknown := problem.Errorf(problem.NotFound, "No heartbeat is awaited there. Look at the address that the job was given.")
	target, generation, ok := s.parseToken(token)
	if !ok {
		return Receipt{}, unknown
	}
	if b.Duration < 0 || b.Duration > MaxDuration {
		issue := problem.Issue{Path: "durationMs", Message: "must be 0 to a year"}
		return Receipt{}, problem.InvalidInput("The duration is not possible.", issue)
	}
	if b.Get {
		accepts, err := heartbeatdb.New(s.db.Conn(ctx)).AcceptsGet(ctx, heartbeatdb.AcceptsGetParams{Target: target, Generation: generation})
		switch {
		case store.NoRows(err):
			return Receipt{}, unknown
		case err != nil:
			return Receipt{}, fmt.Errorf("read whether GET is accepted: %w", err)
		case !accepts:
			return Receipt{}, problem.Errorf(
				problem.WrongMethod,
				"A GET is no heartbeat here. Send a POST, or switch on acceptGet in the health check if the job cannot.",
			)
		}
	}
	row, err := heartbeatdb.New(s.db.Conn(ctx)).Beat(ctx, heartbeatdb.BeatParams{
		Target:     target,
		Generation: generation,
		Failed:     b.Failed,
		Message:    text.Shown(b.Message, MaxMessage-1),
		DurationMs: b.Duration.Milliseconds(),
	})
	switch {
	case store.NoRows(err):
		return Receipt{}, unknown
	case err != nil:
		return Receipt{}, fmt.Errorf("record heartbeat: %w", err)
	}
	return Receipt{At: row.At, Active: row.Active}, nil
}

// Last returns the last report of a target's job, for check.Host.LastHeartbeat.
func (s *Store) Last(ctx context.Context, target int32) (check.Heartbeat, error) {
	row, err := heartbeatdb.New(s.db.Conn(ctx)).Last(ctx, target)
	if store.NoRows(err) {
		return check.Heartbeat{}, nil
	}
	if err != nil {
		return check.Heartbeat{}, fmt.Errorf("read heartbeat: %w", err)
	}
	h := check.Heartbeat{Awaited: time.UnixMilli(row.SinceMs), Failed: row.Failed, Message: row.Message, DurationMS: row.DurationMs}
	if row.At != nil {
		h.At = *row.At
	}
	return h, nil
}
