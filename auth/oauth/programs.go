package oauth

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth"
	"countersign/auth/oauth/oauthdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// ConnectedProgram is a program with a person's consent.
type ConnectedProgram struct {
	ID         uuid.UUID  `json:"id"`
	Name       string     `json:"name" doc:"What the program calls itself. Nobody has checked it"`
	Origin     string     `json:"origin,omitempty" doc:"The host of its metadata document; absent for a program that has registered itself"`
	ProgramID  uuid.UUID  `json:"programId" doc:"The same for all connections of the program"`
	UserID     uuid.UUID  `json:"userId"`
	UserName   string     `json:"userName"`
	Scopes     []Scope    `json:"scopes" nullable:"false"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty" doc:"Renewed at most once a minute"`
	ExpiresAt  time.Time  `json:"expiresAt" doc:"When it ends unless it is used before"`
}

// Registration reports whether programs may register themselves.
type Registration struct {
	Enabled bool `json:"enabled"`
	rest.Revised
}

// Programs lists connected programs, the newest first: one's own, or everyone's, which needs RuleManage.
func (s *Server) Programs(ctx context.Context, everybody bool, page rest.Page) ([]ConnectedProgram, rest.Next, error) {
	p, err := auth.ByHand(ctx)
	if err != nil {
		return nil, rest.Next{}, err
	}
	params := oauthdb.ConsentsParams{Most: page.Rows()}
	if params.Before, err = page.AfterID(); err != nil {
		return nil, rest.Next{}, err
	}
	if !everybody {
		params.UserID = &p.ID
	} else if missing := p.Missing(RuleManage); len(missing) > 0 {
		return nil, rest.Next{}, problem.MissingRule("see the connected programs of everybody", missing...)
	}
	rows, err := oauthdb.New(s.db.Conn(ctx)).Consents(ctx, params)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list connected programs: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(r oauthdb.ConsentsRow) string { return r.ID.String() })
	found := make([]ConnectedProgram, 0, len(rows))
	for _, r := range rows {
		allowed, err := s.describeScopes(ctx, principal.Client{ID: r.ClientID, Name: r.ClientName, Scopes: r.Scopes})
		if err != nil {
			return nil, rest.Next{}, err
		}
		program := ConnectedProgram{
			ID: r.ID, Name: r.ClientName, ProgramID: r.Client, UserID: r.UserID, UserName: r.UserName, Scopes: allowed,
			CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt, ExpiresAt: r.ExpiresAt,
		}
		if u, err := url.Parse(r.ClientID); err == nil && r.Kind == "document" {
			program.Origin = u.Host
		}
		found = append(found, program)
	}
	return found, next, nil
}

// Disconnect ends a consent: one's own, or any with RuleManage.
func (s *Server) Disconnect(ctx context.Context, id uuid.UUID) error {
	p, err := auth.ByHand(ctx)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := oauthdb.New(s.db.Conn(ctx)).LockConsent(ctx, id)
		if err != nil && !store.NoRows(err) {
			return fmt.Errorf("find connected program: %w", err)
		}
		if err != nil || row.UserID != p.ID && !p.Has(RuleManage) {
			return problem.Errorf(problem.NotFound, "No connected program has the id %s. List them to see what exists.", id)
		}
		owner := principal.Principal{ID: row.UserID, Name: row.UserName}
		return s.endConsent(ctx, row.ID, row.Client, row.ClientName, owner, "A program was disconnected")
	})
}

// Registration returns whether programs may register themselves now.
func (s *Server) Registration(ctx context.Context) (Registration, error) {
	row, err := oauthdb.New(s.db.Conn(ctx)).Registration(ctx)
	if err != nil {
		return Registration{}, fmt.Errorf("read setting of registration: %w", err)
	}
	return Registration{row.Enabled, rest.Revised{Revision: row.Revision}}, nil
}

// SetRegistration enables or disables self-registration. Existing consents stay.
func (s *Server) SetRegistration(ctx context.Context, enabled bool, based *int64) (Registration, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Registration, error) {
		q := oauthdb.New(s.db.Conn(ctx))
		before, err := q.LockRegistration(ctx)
		if err != nil {
			return Registration{}, fmt.Errorf("lock setting of registration: %w", err)
		}
		if err := problem.CheckRevision("setting of registration", before.Revision, based); err != nil {
			return Registration{}, err
		}
		if before.Enabled == enabled {
			return Registration{enabled, rest.Revised{Revision: before.Revision}}, nil
		}
		after, err := q.SetRegistration(ctx, enabled)
		if err != nil {
			return Registration{}, fmt.Errorf("set registration: %w", err)
		}
		var fields audit.Fields
		fields.Compare("enabled", before.Enabled, after.Enabled)
		summary := "Programs may no longer register themselves"
		if enabled {
			summary = "Programs may register themselves"
		}
		err = audit.Record(
			ctx,
			s.db,
			audit.Event{Action: audit.Changed, Object: audit.Ref{Type: typeRegistration, ID: registrationID}, Summary: summary, Fields: fields},
		)
		return Registration{after.Enabled, rest.Revised{Revision: after.Revision}}, err
	})
}
