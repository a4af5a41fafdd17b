package health

import (
	"fmt"
	"time"
)

// Target is one target of a system, for the status of the system.
type Target struct {
	ID int32
	// Name is that of the check, and Environment that of the environment, if any.
	Name, Environment string
	Status            Status
	Since             time.Time
	Reason            string
}

// Worst returns the status of a system from its targets: the worst one, Unknown only when all are unknown. at is the
// index of the target with that status for the longest time; -1 without targets. The reason is a sentence.
func Worst(targets []Target) (status Status, at int, reason string) {
	at = -1
	var unknown, same int
	for i, t := range targets {
		if t.Status == Unknown {
			unknown++
		}
		switch {
		case at < 0, t.Status > targets[at].Status:
			at, same = i, 1
		case t.Status == targets[at].Status:
			same++
			if t.Since.Before(targets[at].Since) {
				at = i
			}
		}
	}
	switch {
	case at < 0:
		return Unknown, -1, "No check runs for it."
	case targets[at].Status == Unknown:
		return Unknown, at, fmt.Sprintf("Nothing is known of %s.", of(len(targets)))
	case targets[at].Status == Healthy && unknown > 0:
		return Healthy, at, fmt.Sprintf("All that is known is healthy; nothing is known of %d of %d checks.", unknown, len(targets))
	case targets[at].Status == Healthy:
		return Healthy, at, "All of its checks are healthy."
	}
	reason = targets[at].subject() + ": " + targets[at].Reason + "."
	switch {
	case same == 2:
		reason += " So is 1 more."
	case same > 2:
		reason += fmt.Sprintf(" So are %d more.", same-1)
	}
	return targets[at].Status, at, reason
}

func of(n int) string {
	if n == 1 {
		return "its check"
	}
	return fmt.Sprintf("its %d checks", n)
}

func (t Target) subject() string {
	name := "The check " + t.Name
	if t.Environment != "" {
		name += " in " + t.Environment
	}
	return fmt.Sprintf("%s is %s", name, t.Status)
}

// Why says in one sentence why a system is what it is, such as: Payments is unhealthy for 25 minutes. The check API in production is
// unhealthy: 5 runs in a row failed: Could not connect to api.example.com:443: the connection was refused.
//
// since is when the system as a whole took that status, which for a healthy one is no moment of any of its targets; zero when that is not
// known.
func Why(system string, since time.Time, s Settled, now time.Time) string {
	if s.Status == Unknown || since.IsZero() {
		return fmt.Sprintf("%s is %s. %s", system, s.Status, s.Reason)
	}
	return fmt.Sprintf("%s has been %s for %s. %s", system, s.Status, age(now.Sub(since)), s.Reason)
}

// age formats a duration in its largest unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return count(max(int(d/time.Second), 0), "second")
	case d < time.Hour:
		return count(int(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return count(int(d/time.Hour), "hour")
	default:
		return count(int(d/(24*time.Hour)), "day")
	}
}
