// Package notice is the contract of notifications: their content, their recipients and their end.
//
// A notice is a fact with a unique key (About, Topic, Edge), and a delivery is a row for each channel that it goes to.
// Modules write both in the transaction of their change, by Ledger.Tell; modules/notification sends them afterwards. Its
// text is rendered from Facts, which the module of the record reads when a message is sent, so that a message that waited,
// or is repeated, says what is true by then.
package notice

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// About is the record that a notice is about: its kind, such as "incident", and its id.
type About struct {
	Kind string
	ID   uuid.UUID
}

// Phase says what becomes of a notice that cannot be delivered at once.
type Phase string

const (
	// Problem is for as long as it stands. A mute, or the quiet hours of a person, hold it; when they end it is sent if its
	// facts still stand, and dropped otherwise.
	Problem Phase = "problem"
	// Recovery is the end of all problems of its record. It goes to the channels that a problem of the record was delivered
	// to, and to no others, and nothing holds it. It stops the problems that wait.
	Recovery Phase = "recovery"
	// Update is news of a record. Mutes and quiet hours hold it as they hold a problem.
	Update Phase = "update"
)

// Notice is a fact that people should know.
type Notice struct {
	About
	// Topic is one of those that the Subject of About declares, such as "incident.opened"; people choose by topic how they
	// want to know.
	Topic string
	// Edge tells the notices of one topic about one record apart: "opened", "update:<id>", "step:2:1". There is one
	// notification for an edge.
	Edge  string
	Phase Phase
	// Urgent calls a person: quiet hours do not hold it.
	Urgent bool
	// Systems are those that it concerns: it is muted while all of them are. None means that it is never muted.
	Systems []uuid.UUID
	// Bundle names notices that are one message when they wait for the same channel, such as those of one upstream; "" for
	// none.
	Bundle string
	// Delay is how long it waits at least, beyond the times of people's own rules.
	Delay time.Duration
}

// Recipient is a receiver of notices. See Person, Members, Team and Policy.
type Recipient struct {
	kind recipientKind
	id   uuid.UUID
}

// ID is that of the person, the team or the policy.
func (r Recipient) ID() uuid.UUID { return r.id }

// Kind is person, team or policy; members are people once they are found.
func (r Recipient) Kind() string { return string(r.kind) }

type recipientKind string

const (
	toPerson  recipientKind = "person"
	toMembers recipientKind = "members"
	toTeam    recipientKind = "team"
	toPolicy  recipientKind = "policy"
)

// Person is one person, by the channels and after the times of their own rules.
func Person(id uuid.UUID) Recipient { return Recipient{toPerson, id} }

// Members are the people of a team, each by their own rules.
func Members(team uuid.UUID) Recipient { return Recipient{toMembers, team} }

// Team is a team by its own channels, such as its chat.
func Team(id uuid.UUID) Recipient { return Recipient{toTeam, id} }

// Policy is an escalation policy by its own channels.
func Policy(id uuid.UUID) Recipient { return Recipient{toPolicy, id} }

// Facts are what a message says, as they are when it is sent. All texts are untrusted: a channel escapes them.
type Facts struct {
	// Title is one line, such as "Checkout is unhealthy".
	Title string
	// Text may have several lines.
	Text   string
	Fields []Field
	// Path is the page of the web app, such as "/incidents/<id>".
	Path     string
	Severity Severity
	// Over reports that the problem no longer stands: a held problem is then dropped.
	Over bool
}

// Field is a labelled value.
type Field struct{ Label, Value string }

// Severity decides about colours and priorities of channels that have them.
type Severity string

// The severities. The zero value is Info.
const (
	Info     Severity = "info"
	Good     Severity = "good"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Topic is something that people choose to know of.
type Topic struct {
	ID, Label, Description string
}

// Subject is a kind of records that notices are about. A module offers them by Notices().
type Subject struct {
	// Kind is that of About.
	Kind string
	// Topics are those of its notices.
	Topics []Topic
	// Rules are those any of which opens the records to people who see one of their systems. Without them nobody subscribes
	// to the records, and no channel of a team gets them.
	Rules []string
	// Facts reads what a notice says now, as the principal of ctx: the person who gets it. A channel of a team, or of a policy
	// of a team, reads as a service with the grants of the team and the first of Rules. A record that the principal may not
	// see, or that is gone, is problem.NotFound: the delivery is suppressed.
	Facts func(ctx context.Context, n Notice) (Facts, error)
}

// Mute is why notices about a system are held.
type Mute struct {
	System uuid.UUID
	// Until is when it ends, as far as that is known; zero otherwise. Ledger.Recheck tells of an earlier end.
	Until time.Time
	// Reason follows "Muted by ", such as "maintenance <id>". It is stored and shown to readers who may not see the record
	// that mutes, so it holds an id and no text of that record.
	Reason string
}

// Mutes answers for systems which of them are muted now. A module, such as that of maintenances, offers it by the method.
type Mutes interface {
	Muted(ctx context.Context, systems []uuid.UUID) ([]Mute, error)
}

// Delivery is a row that Tell has inserted.
type Delivery struct {
	ID, Channel uuid.UUID
	// Kind is that of the channel, such as "email".
	Kind string
	// Person is who gets it; nil for a channel of a team or a policy.
	Person *uuid.UUID
	// DueAt is when it is sent, if nothing holds it.
	DueAt time.Time
}

// Told is what a call of Tell has inserted.
type Told struct {
	// ID is that of the notification.
	ID uuid.UUID
	// Created reports whether this call made the notification; false when there was one for the edge.
	Created bool
	// Deliveries are those that this call added.
	Deliveries []Delivery
	// Unreached are recipients without any channel for the topic.
	Unreached []Recipient
}
