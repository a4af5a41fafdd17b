package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool/disposition"
)

const (
	// runRetention is how long an ended run and its conversations are kept.
	runRetention = 30 * 24 * time.Hour
	// maxKind bounds the name of a kind of definition, maxApplied the tools that a policy names.
	maxKind    = 60
	maxApplied = 200
	// runsAtOnce bounds the deletions of one sweep.
	runsAtOnce = 1000
)

// Runs are the runs in which applications act without a token. A run is to an application what a session is to a person:
// its credentials are accepted until the run has ended, the revision of its definition is revoked, or the application is
// deleted or disabled. The application's rights are those of now.
//
// Its callers are parts of the product that execute definitions. They make sure that who has written a definition may act
// as its application.
type Runs struct {
	db            *store.DB
	authenticator *Authenticator
}

// NewRun is a run to open. ID is the caller's own, so that a repeat opens no second one.
type NewRun struct {
	ID          uuid.UUID
	Application uuid.UUID
	Definition  principal.Definition
	// Author is the person who wrote this revision of the definition, or made the token of the application that did. Nobody
	// is the second person for what they wrote.
	Author uuid.UUID
	Policy disposition.RunPolicy
	// TokenCap bounds the tokens of all model calls of the run together; zero is no limit beside that of the connection.
	TokenCap int64
}

// Run is an open or ended run.
type Run struct {
	NewRun

	CreatedAt time.Time
	// EndedAt is nil while the run is open.
	EndedAt *time.Time
}

// Open opens a run, and reports whether this call did it. An application or a revision that may not act is refused, and so
// is the id of a run that differs in anything.
func (s *Runs) Open(ctx context.Context, n NewRun) (opened bool, err error) {
	if err := n.check(); err != nil {
		return false, err
	}
	policy, err := json.Marshal(n.Policy)
	if err != nil {
		return false, fmt.Errorf("encode policy of a run: %w", err)
	}
	p := authdb.OpenRunParams{
		ID: n.ID, ApplicationID: n.Application, DefinitionKind: n.Definition.Kind, DefinitionID: n.Definition.ID,
		Revision: n.Definition.Revision, Policy: policy,
		AuthorID: n.Author,
	}
	if n.TokenCap > 0 {
		p.TokenCap = &n.TokenCap
	}
	added, err := authdb.New(s.db.Conn(ctx)).OpenRun(ctx, p)
	if err != nil {
		return false, fmt.Errorf("open run: %w", err)
	}
	if added > 0 {
		return true, nil
	}
	return false, s.refusal(ctx, n)
}

func (n NewRun) check() error {
	var issues problem.Issues
	if n.ID == uuid.Nil {
		issues.Report("id", "is required")
	}
	if kind := n.Definition.Kind; kind == "" || len(kind) > maxKind {
		issues.Report("definition.kind", "must have 1 to 60 characters")
	}
	if n.Definition.ID == uuid.Nil || n.Definition.Revision < 1 {
		issues.Report("definition", "must name a definition and its revision")
	}
	if n.Author == uuid.Nil {
		issues.Report("author", "is required")
	}
	if len(n.Policy.Apply) > maxApplied {
		issues.Report("policy.apply", "must name at most 200 tools")
	}
	if n.TokenCap < 0 {
		issues.Report("tokenCap", "must be positive, or 0 for none")
	}
	return issues.Err()
}

// refusal is the reason why a run was not opened, nil for a repeat.
func (s *Runs) refusal(ctx context.Context, n NewRun) error {
	known, err := s.Run(ctx, n.ID)
	switch {
	case problem.Is(err, problem.NotFound):
	case err != nil:
		return err
	default:
		return known.requireSame(n)
	}
	q := authdb.New(s.db.Conn(ctx))
	revoked, err := q.RevisionIsRevoked(ctx, authdb.RevisionIsRevokedParams{DefinitionID: n.Definition.ID, Revision: n.Definition.Revision})
	if err != nil {
		return fmt.Errorf("look for a revocation: %w", err)
	}
	if revoked {
		return problem.Errorf(problem.Forbidden, "Revision %d of this definition is revoked. Run another revision.", n.Definition.Revision)
	}
	return problem.Errorf(problem.Forbidden, "The application %s is deleted or disabled, so nothing runs in its name.", n.Application)
}

// requireSame refuses a repeat that asks for something else than the run was opened with.
func (n NewRun) requireSame(repeat NewRun) error {
	var differs string
	switch {
	case n.Application != repeat.Application || n.Definition != repeat.Definition:
		differs = "another definition"
	case n.Author != repeat.Author:
		differs = "another author"
	case n.Policy.Propose != repeat.Policy.Propose || !slices.Equal(n.Policy.Apply, repeat.Policy.Apply):
		differs = "another policy"
	case n.TokenCap != repeat.TokenCap:
		differs = "another token cap"
	default:
		return nil
	}
	return problem.Errorf(problem.KeyReused, "The run %s was opened with %s. Use a new id for each run.", n.ID, differs)
}

// Run returns a run by id.
func (s *Runs) Run(ctx context.Context, id uuid.UUID) (Run, error) {
	row, err := authdb.New(s.db.Conn(ctx)).RunByID(ctx, id)
	if store.NoRows(err) {
		return Run{}, problem.Errorf(problem.NotFound, "There is no run %s. It may have been deleted.", id)
	}
	if err != nil {
		return Run{}, fmt.Errorf("find run: %w", err)
	}
	r := Run{CreatedAt: row.CreatedAt, EndedAt: row.EndedAt, NewRun: NewRun{
		ID: row.ID, Application: row.ApplicationID,
		Definition: principal.Definition{Kind: row.DefinitionKind, ID: row.DefinitionID, Revision: row.Revision},
	}}
	if row.AuthorID != nil {
		r.Author = *row.AuthorID
	}
	if row.TokenCap != nil {
		r.TokenCap = *row.TokenCap
	}
	if err := json.Unmarshal(row.Policy, &r.Policy); err != nil {
		return Run{}, fmt.Errorf("read policy of a run: %w", err)
	}
	return r, nil
}

// Policy returns what becomes of the changes of a run.
func (s *Runs) Policy(ctx context.Context, id uuid.UUID) (disposition.RunPolicy, error) {
	r, err := s.Run(ctx, id)
	return r.Policy, err
}

// Principal returns the application as it acts in a run, with its current rights; problem.Unauthorized once it may not act.
func (s *Runs) Principal(ctx context.Context, id uuid.UUID) (principal.Principal, error) {
	p, err := s.authenticator.byRun(ctx, id)
	if err == nil && p.IsZero() {
		err = errRunEnded()
	}
	return p, err
}

// End ends a run, and reports whether this call did it.
func (s *Runs) End(ctx context.Context, id uuid.UUID) (ended bool, err error) {
	n, err := authdb.New(s.db.Conn(ctx)).EndRun(ctx, authdb.EndRunParams{ID: id, KeptSeconds: runRetention.Seconds()})
	if err != nil {
		return false, fmt.Errorf("end run: %w", err)
	}
	return n > 0, nil
}

// RevokeRevision stops all runs of a revision of a definition, for good, and reports whether this call did it.
func (s *Runs) RevokeRevision(ctx context.Context, definition uuid.UUID, revision int64) (revoked bool, err error) {
	n, err := authdb.New(s.db.Conn(ctx)).RevokeRevision(ctx, authdb.RevokeRevisionParams{DefinitionID: definition, Revision: revision})
	if err != nil {
		return false, fmt.Errorf("revoke revision: %w", err)
	}
	return n > 0, nil
}

// sweep ends runs that can never act again, and deletes those whose retention period is over and whose conversations are
// deleted.
func (s *Runs) sweep(ctx context.Context) error {
	stopped := authdb.EndStoppedRunsParams{KeptSeconds: runRetention.Seconds(), MaxRows: runsAtOnce}
	if _, err := authdb.New(s.db.Conn(ctx)).EndStoppedRuns(ctx, stopped); err != nil {
		return fmt.Errorf("end stopped runs: %w", err)
	}
	if _, err := authdb.New(s.db.Conn(ctx)).DeleteKeptRuns(ctx, runsAtOnce); err != nil {
		return fmt.Errorf("delete ended runs: %w", err)
	}
	return nil
}

func errRunEnded() error {
	return problem.Errorf(
		problem.Unauthorized,
		"This run may not act any more: it has ended, the revision of its definition is revoked, or its application is "+
			"deleted or disabled.",
	)
}
