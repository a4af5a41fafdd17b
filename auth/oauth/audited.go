package oauth

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/oauth/oauthdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Types of objects in the audit log.
const (
	typeClient       = "oauth.client"
	typeRegistration = "oauth.registration"
)

// Types of objects in the audit log, as people read them.
var (
	auditedClient = audit.Declare(audit.Type{
		ID: typeClient, Label: "Connected program", Plural: "Connected programs", Kept: []string{"scopes"},
	})
	auditedRegistration = audit.Declare(audit.Type{ID: typeRegistration, Label: "Registration of programs", Kept: []string{"enabled"}})
)

// registrationID is the one object of its type.
const registrationID = "registration"

// Audited are the object types with a readable history.
func (s *Server) Audited() []audit.Kind {
	return []audit.Kind{
		audit.Ruled(auditedClient, RuleManage, audit.ByUUID(s.client)),
		audit.Ruled(auditedRegistration, RuleManage, func(_ context.Context, id string) error {
			if id != registrationID {
				return problem.Errorf(problem.NotFound, "There is no object with this id.")
			}
			return nil
		}),
	}
}

func (s *Server) client(ctx context.Context, id uuid.UUID) (oauthdb.ClientByIDRow, error) {
	row, err := oauthdb.New(s.db.Conn(ctx)).ClientByID(ctx, id)
	if store.NoRows(err) {
		return row, problem.Errorf(problem.NotFound, "No program has the id %s.", id)
	}
	if err != nil {
		return row, fmt.Errorf("find program: %w", err)
	}
	return row, nil
}

// record records an event between a program and a person, in the transaction of ctx. owner is the person where that is
// not the principal of ctx, in which case the product itself acts.
func (s *Server) record(
	ctx context.Context,
	action audit.Action,
	client uuid.UUID,
	name string,
	whose principal.Principal,
	summary string,
	granted []string,
) error {
	var fields audit.Fields
	if granted != nil {
		fields.Compare("scopes", []string{}, granted)
	}
	e := audit.Event{
		Action: action, Object: audit.Object(typeClient, client, name), Summary: summary, Fields: fields,
		Subject: audit.Object(audit.PersonType, whose.ID, whose.Name),
	}
	if principal.FromContext(ctx).IsZero() {
		e.Actor = principal.Principal{Kind: principal.Service}
	}
	return audit.Record(ctx, s.db, e)
}

func joined(scopes []string) string { return strings.Join(scopes, " ") }

// recordDeletion records that a program deleted its registration, with every consent.
func (s *Server) recordDeletion(ctx context.Context, id uuid.UUID, name string) error {
	return audit.Record(ctx, s.db, audit.Event{
		Action: audit.Deleted, Object: audit.Object(typeClient, id, name), Summary: "A program has deleted its registration",
		Actor: principal.Principal{Kind: principal.Service},
	})
}
