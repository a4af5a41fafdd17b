package health

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// MaxReason is the maximum length of the reason of an override, in bytes.
const MaxReason = 500

// Source is a kind of overrides that a module brings, such as incidents.
type Source struct {
	// ID is stable, such as incident.open.
	ID string
	// Label is its name for people.
	Label string
	// Rule is the access rule to see reasons of its overrides. Others see the status of the system alone.
	Rule string
}

// Override makes a system at least as bad as its status, beside the checks of the system, until it is lifted.
type Override struct {
	System uuid.UUID
	// Source is the id of a declared source, and Key identifies the record of the module that causes the override.
	Source string
	Key    uuid.UUID
	// Status is Degraded or Unhealthy.
	Status Status
	// Reason is a sentence without its full stop.
	Reason string
	// Since is the time of the database at which it was first set.
	Since time.Time
}

// Check refuses another status than Degraded and Unhealthy, and a missing or long reason.
func (o Override) Check() error {
	switch {
	case o.System == uuid.Nil, o.Key == uuid.Nil:
		return errors.New("an override lacks its system or its key")
	case o.Status != Degraded && o.Status != Unhealthy:
		return fmt.Errorf("an override cannot make a system %s", o.Status)
	case o.Reason == "" || len(o.Reason) > MaxReason:
		return fmt.Errorf("the reason of an override has %d bytes instead of 1 to %d", len(o.Reason), MaxReason)
	}
	return nil
}

// Overrides are the overrides of all systems.
type Overrides interface {
	// Override replaces the overrides of a key, in the transaction of ctx; without any, it lifts them. It updates the
	// health of the systems concerned, and reports whether it changed an override.
	Override(ctx context.Context, source string, key uuid.UUID, overrides ...Override) (changed bool, err error)
}

// Sources is a list of sources.
type Sources struct{ byID map[string]Source }

// Declare adds sources, while the product is put together.
func (s *Sources) Declare(sources ...Source) error {
	if s.byID == nil {
		s.byID = map[string]Source{}
	}
	var failed []error
	for _, source := range sources {
		if source.ID == "" || source.Label == "" || source.Rule == "" {
			failed = append(failed, fmt.Errorf("health source %q lacks its id, label or rule", source.ID))
		}
		if _, twice := s.byID[source.ID]; twice {
			failed = append(failed, fmt.Errorf("health source %q is there twice", source.ID))
		}
		s.byID[source.ID] = source
	}
	return errors.Join(failed...)
}

// Source is the one with the id.
func (s *Sources) Source(id string) (Source, bool) {
	if s == nil {
		return Source{}, false
	}
	source, ok := s.byID[id]
	return source, ok
}

// Settled is the health of a system.
type Settled struct {
	Status Status
	// Target and Override are the index of what determines it; -1 when it is the other, or nothing.
	Target, Override int
	// Reason is a sentence.
	Reason string
}

// Settle returns the health of a system: that of its worst target, or of an override that is worse. Of several such
// overrides it is the oldest of the worst ones.
func Settle(targets []Target, overrides []Override) Settled {
	status, target, reason := Worst(targets)
	s := Settled{Status: status, Target: target, Override: -1, Reason: reason}
	for i, o := range overrides {
		older := s.Override >= 0 && o.Status == s.Status && o.Since.Before(overrides[s.Override].Since)
		if o.Status.WorseThan(s.Status) || older {
			s = Settled{Status: o.Status, Target: -1, Override: i, Reason: o.Reason + "."}
		}
	}
	return s
}
