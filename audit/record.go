package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/audit/auditdb"
	"countersign/internal/principal"
	"countersign/internal/store"
)

// Action is the kind of a change to an object.
type Action string

// Actions on objects. Grants and memberships are about an object and the subject that gains or loses something. Only
// Created and Changed write text: their principal becomes an author of the object (ai_audit_authors).
const (
	Created      Action = "created"
	Changed      Action = "changed"
	Deleted      Action = "deleted"
	Added        Action = "added"
	Removed      Action = "removed"
	Granted      Action = "granted"
	Withdrawn    Action = "withdrawn"
	Archived     Action = "archived"
	Restored     Action = "restored"
	Erased       Action = "erased"
	Ran          Action = "ran"
	SignedIn     Action = "signed-in"
	SignInFailed Action = "sign-in-failed"
	SignedOut    Action = "signed-out"
	TokenRefused Action = "token-refused"
	NameRefused  Action = "name-refused"
	Decided      Action = "decided"
	Refused      Action = "refused"
)

// Actions lists every action.
func Actions() []Action {
	return []Action{
		Created, Changed, Deleted, Added, Removed, Granted, Withdrawn, Archived, Restored, Erased, Ran, SignedIn, SignInFailed,
		SignedOut, TokenRefused, NameRefused, Decided, Refused,
	}
}

// Ref names an object of the product: its type, such as catalog.system, its key, and its name at the time.
type Ref struct {
	Type string
	ID   string
	Name string
}

// Object makes the Ref of an object with a UUID.
func Object(objectType string, id uuid.UUID, name string) Ref {
	return Ref{Type: objectType, ID: id.String(), Name: name}
}

// PersonType is the type of people. The personal data of their entries can be erased.
const PersonType = "auth.user"

// Event is one change, sign-in or refusal.
type Event struct {
	Action Action
	Object Ref
	// Subject is what the object gained or lost: a member, a grant's holder, an owner; zero for none.
	Subject Ref
	// Summary is a short sentence for people, without names, secrets and text of users.
	Summary string
	Fields  Fields
	// Actor is set when it differs from the principal of the context: a sign-in has no principal yet.
	Actor principal.Principal
	// Address is the network address of a sign-in. It is personal data of the person who is the object.
	Address string
}

// Limits of what an entry holds, in bytes and entries.
const (
	maxName    = 300
	maxSummary = 500
	maxFields  = 50
	maxValue   = 1000
)

// personal is the personal data of an entry.
type personal struct {
	Object  string `json:"object,omitempty"`
	Subject string `json:"subject,omitempty"`
	Address string `json:"address,omitempty"`
}

var errNoTransaction = errors.New("an audit entry needs the transaction of what it records")

// Record adds an entry for what the transaction of ctx does: both are committed or neither is. The principal and the
// transport are read from ctx; see Origin.
func Record(ctx context.Context, db *store.DB, e Event) error {
	if !db.InTransaction(ctx) {
		return fmt.Errorf("record %s of %s: %w", e.Action, e.Object.Type, errNoTransaction)
	}
	params, err := paramsOf(ctx, e)
	if err != nil {
		return fmt.Errorf("record %s of %s: %w", e.Action, e.Object.Type, err)
	}
	q := auditdb.New(db.Conn(ctx))
	entry, err := q.RecordChange(ctx, params)
	// For a proposal, the entry of its call names the programs.
	if who := actorOf(ctx, e); err == nil && who.Client != nil && params.ProposalID == nil {
		err = noteOfEntry(ctx, q, who, params.Transport, entry)
	}
	if err != nil {
		return fmt.Errorf("record %s of %s: %w", e.Action, e.Object.Type, err)
	}
	return nil
}

// actorOf returns the principal who makes the request.
func actorOf(ctx context.Context, e Event) principal.Principal {
	if e.Actor.IsZero() {
		return principal.FromContext(ctx)
	}
	return e.Actor
}

func paramsOf(ctx context.Context, e Event) (auditdb.RecordChangeParams, error) {
	from := originOf(ctx)
	who := actorOf(ctx, e)
	p := auditdb.RecordChangeParams{
		Action: string(e.Action), ObjectType: e.Object.Type, ObjectID: clip(e.Object.ID, maxName), ObjectName: clip(e.Object.Name, maxName),
		Summary: clip(e.Summary, maxSummary), Operation: from.Operation, Transport: from.transport(who),
		PrincipalKind: string(who.Kind), PrincipalID: who.ID, SessionID: given(who.SessionID), TurnID: given(who.TurnID),
	}
	if who.IsZero() {
		p.PrincipalKind = string(principal.Service)
	}
	if proposal := from.Proposal; proposal != nil {
		// The decider makes the request; who asked is the proposer.
		kind := p.PrincipalKind
		p.AppliedByKind, p.AppliedByID, p.ProposalID = &kind, new(who.ID), &proposal.ID
		p.PrincipalKind, p.PrincipalID, p.TurnID = string(proposal.AskedByKind), proposal.AskedBy, proposal.TurnID
	}
	if e.Subject.Type != "" {
		p.SubjectType, p.SubjectID, p.SubjectName = &e.Subject.Type, new(clip(e.Subject.ID, maxName)), new(clip(e.Subject.Name, maxName))
	}
	fields, err := json.Marshal(e.Fields.of(e.Object.Type))
	if err != nil {
		return p, fmt.Errorf("encode fields: %w", err)
	}
	p.Fields = string(fields)
	return p, setApart(&p, e)
}

// setApart moves personal data to the row that can be erased.
func setApart(p *auditdb.RecordChangeParams, e Event) error {
	about := personal{Address: clip(e.Address, maxName)}
	if e.Object.Type == PersonType {
		about.Object, p.ObjectName = p.ObjectName, ""
		p.PersonID = personOf(e.Object)
	}
	if e.Subject.Type == PersonType {
		about.Subject, p.SubjectName = *p.SubjectName, new("")
		if p.PersonID == nil {
			p.PersonID = personOf(e.Subject)
		}
	}
	if about == (personal{}) {
		return nil
	}
	data, err := json.Marshal(about)
	if err != nil {
		return fmt.Errorf("encode what is personal: %w", err)
	}
	p.Personal = new(string(data))
	return nil
}

func personOf(r Ref) *uuid.UUID {
	id, err := uuid.Parse(r.ID)
	if err != nil {
		return nil
	}
	return &id
}

func given(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// clip makes a text valid UTF-8, free of NUL, and at most that many bytes long.
func clip(s string, most int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	if len(s) <= most {
		return s
	}
	s = s[:most-len("…")]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + "…"
}
