package health

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
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

// Worst returns the status of a system from its targets: the worst one, PartlyUnknown where all that are known are healthy and
// nothing is known of others, Unknown only when all are unknown. at is the index of the target that decides it, which has
// that status for the longest time; -1 without one. The reason is a sentence.
func Worst(targets []Target) (status Status, at int, reason string) {
	at = -1
	var unknown, same int
	unknownAt := -1
	for i, t := range targets {
		if t.Status == Unknown {
			unknown++
			if unknownAt < 0 || t.explains(targets[unknownAt]) {
				unknownAt = i
			}
			continue
		}
		switch {
		case at < 0, t.Status.WorseThan(targets[at].Status):
			at, same = i, 1
		case t.Status == targets[at].Status:
			same++
			if t.Since.Before(targets[at].Since) {
				at = i
			}
		}
	}
	switch {
	case len(targets) == 0:
		return Unknown, -1, "No check runs for it."
	case at < 0:
		return Unknown, unknownAt, nothingKnown(targets[unknownAt], len(targets))
	case targets[at].Status == Healthy && unknown > 0:
		return PartlyUnknown, unknownAt, partlyUnknown(targets[unknownAt], unknown, len(targets))
	case targets[at].Status == Healthy:
		return Healthy, at, "All of its checks are healthy."
	default:
		return targets[at].Status, at, badly(targets[at], same, len(targets))
	}
}

// explains reports whether an unknown target says more about why than another one: runs that could not be made say more than
// none, and the oldest says most.
func (t Target) explains(other Target) bool {
	if (t.Reason == "") != (other.Reason == "") {
		return t.Reason != ""
	}
	return t.Since.Before(other.Since)
}

// Sentences about several checks have one form: how many of how many, the name of the deciding one, a colon, and its reason.
// Readers who may not see results of runs get them cut by that form; see Brief.

func badly(t Target, same, all int) string {
	if same == 1 {
		return fmt.Sprintf("The check %s is %s: %s.", t.place(), t.Status, t.Reason)
	}
	return fmt.Sprintf("%d of %d checks are %s, first %s: %s.", same, all, t.Status, t.place(), t.Reason)
}

// UnknownSentence says why nothing is known of a target.
func (t Target) UnknownSentence() string {
	return fmt.Sprintf("The check %s is unknown: %s.", t.place(), t.unknownReason())
}

func partlyUnknown(t Target, unknown, all int) string {
	first := ""
	if unknown > 1 {
		first = "first "
	}
	return fmt.Sprintf("Healthy, %d of %d unknown, %s%s: %s.", unknown, all, first, t.place(), t.unknownReason())
}

func nothingKnown(t Target, all int) string {
	switch {
	case t.Reason == "" && all == 1:
		return "Nothing is known of its check."
	case t.Reason == "":
		return fmt.Sprintf("Nothing is known of its %d checks.", all)
	case all == 1:
		return fmt.Sprintf("Nothing is known of the check %s: %s.", t.place(), t.Reason)
	default:
		return fmt.Sprintf("Nothing is known of its %d checks, first %s: %s.", all, t.place(), t.Reason)
	}
}

// Brief returns a stored reason of Worst with another name of the place and another reason of the target that decides it, for
// readers who may see less.
func Brief(stored string, t Target) string {
	counted := counts.FindStringSubmatch(stored)
	number := func(i int) int {
		if counted == nil {
			return 1
		}
		n, err := strconv.Atoi(counted[i])
		if err != nil {
			return 1
		}
		return n
	}
	switch t.Status {
	case PartlyUnknown:
		return partlyUnknown(t, number(1), number(2))
	case Unknown:
		return nothingKnown(t, number(1))
	case Healthy:
		return stored
	default:
		return badly(t, number(1), number(2))
	}
}

var counts = regexp.MustCompile(`^(?:Healthy, )?(?:Nothing is known of its )?(\d+)(?: of (\d+))? (?:checks|unknown)`)

// place names a target.
func (t Target) place() string {
	if t.Environment == "" {
		return t.Name
	}
	return t.Name + " in " + t.Environment
}

func (t Target) unknownReason() string {
	if t.Reason == "" {
		return "there is no result yet"
	}
	return t.Reason
}

// Why says in one sentence why a system is what it is, such as: Payments is unhealthy for 25 minutes. The check API in production is
// unhealthy: 5 runs in a row failed: Could not connect to api.example.com:443: the connection was refused.
//
// since is when the system as a whole took that status, which for a healthy one is no moment of any of its targets; zero when that is not
// known.
func Why(system string, since time.Time, s Settled, now time.Time) string {
	words := strings.ReplaceAll(s.Status.String(), "-", " ")
	if s.Status == Unknown || since.IsZero() {
		return fmt.Sprintf("%s is %s. %s", system, words, s.Reason)
	}
	return fmt.Sprintf("%s has been %s for %s. %s", system, words, age(now.Sub(since)), s.Reason)
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
