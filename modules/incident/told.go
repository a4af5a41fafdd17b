package incident

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/notice"
)

// NoticeKind is the kind of notices about incidents.
const NoticeKind = subjectIncident

// EscalationStep is a step of an escalation policy that was taken.
type EscalationStep struct {
	Step       int      `json:"step" doc:"Counted from 1."`
	Round      int      `json:"round" doc:"How often the steps were begun."`
	PolicyName string   `json:"policyName"`
	People     []string `json:"people" nullable:"false" doc:"The names of those who were called; empty for accounts that are gone."`
	Unreached  int      `json:"unreached" doc:"Targets without a channel, with nobody on call, or all of them where none may see the incident."`
	Hidden     bool     `json:"hidden,omitempty" doc:"None of those whom the step names may see the incident. The next step followed at once."`
}

// Notified are messages about an incident, with what became of them.
type Notified struct {
	Topic     string       `json:"topic" doc:"Such as incident.opened."`
	Label     string       `json:"label,omitempty" doc:"The topic in words."`
	Phase     notice.Phase `json:"phase" enum:"problem,recovery,update"`
	Messages  int          `json:"messages"`
	Waiting   int          `json:"waiting"`
	Sent      int          `json:"sent"`
	Unknown   int          `json:"unknown" doc:"These may have arrived."`
	Failed    int          `json:"failed"`
	Receivers []Receiver   `json:"receivers" nullable:"false" doc:"The first of them, those who were not reached before others."`
}

// Receiver is a receiver of a message, without the address.
type Receiver struct {
	PersonID    *uuid.UUID   `json:"personId,omitempty" doc:"Absent for a channel of a team or a policy."`
	Person      string       `json:"personName,omitempty"`
	ChannelKind string       `json:"channelKind" enum:"email,webhook,slack,teams,discord,ntfy,push"`
	State       notice.State `json:"state" enum:"waiting,sent,unknown,failed,suppressed,stopped"`
}

// Call makes an entry of a step with a number.
func Call(n int64, at time.Time, step EscalationStep) Entry {
	e := placedAt(entryCall, at, numbered(n))
	if step.People == nil {
		step.People = []string{}
	}
	e.Call = &step
	return e
}

// Notice makes an entry of messages.
func Notice(id uuid.UUID, at time.Time, n Notified) Entry {
	e := placedAt(entryNotice, at, id)
	e.Notice = &n
	return e
}

// tells reports whether an entry is about those who were called or notified.
func (e Entry) tells() bool { return e.Call != nil || e.Notice != nil }

// told says in a sentence who was called or notified.
func (e Entry) told() string {
	var words []string
	if e.Call != nil {
		people := make([]string, len(e.Call.People))
		for i, name := range e.Call.People {
			if people[i] = name; name == "" {
				people[i] = "a former account"
			}
		}
		called := "nobody by name"
		if len(people) > 0 {
			called = strings.Join(people, ", ")
		}
		words = append(words, fmt.Sprintf("Step %d of %s called %s", e.Call.Step, e.Call.PolicyName, called))
		switch {
		case e.Call.Hidden:
			words = append(words, "none of whom may see the incident")
		case e.Call.Unreached > 0:
			words = append(words, fmt.Sprintf("%d not reachable", e.Call.Unreached))
		}
	}
	if n := e.Notice; n != nil {
		if e.Call == nil {
			words = append(words, n.subject())
		}
		words = append(words, n.outcome())
	}
	return strings.Join(words, "; ")
}

func (n Notified) subject() string {
	label := n.Label
	if label == "" {
		label = n.Topic
	}
	if n.Phase == notice.Recovery {
		label += " (end)"
	}
	return label
}

// outcome says what became of messages, and who got them while that is a short list.
func (n Notified) outcome() string {
	var parts []string
	if n.Messages <= len(n.Receivers) {
		for _, r := range n.Receivers {
			to := r.ChannelKind
			if r.Person != "" {
				to += " to " + r.Person
			}
			parts = append(parts, to+" "+string(r.State))
		}
		return strings.Join(parts, ", ")
	}
	for _, one := range []struct {
		count int
		word  string
	}{{n.Sent, "sent"}, {n.Waiting, "waiting"}, {n.Failed, "failed"}, {n.Unknown, "unknown"}} {
		if one.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.count, one.word))
		}
	}
	return fmt.Sprintf("%d messages: %s", n.Messages, strings.Join(parts, ", "))
}
