package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/store/batching"
)

// keyKind is the kind of key by which a principal is looked up.
type keyKind string

const (
	atSession keyKind = "session"
	atToken   keyKind = "token"
	atConsent keyKind = "consent"
	atRun     keyKind = "run"
)

// principalKey identifies a principal: the id of a session, an API token, a consent or a run, or the hash of its credential.
type principalKey struct {
	by   keyKind
	id   uuid.UUID
	hash string
	// kind is the kind of session, "" for any.
	kind string
}

func keyOf(by keyKind, id *uuid.UUID, hash []byte, kind string) principalKey {
	s := principalKey{by: by, hash: string(hash), kind: kind}
	if id != nil {
		s.id = *id
	}
	return s
}

func (s principalKey) keys() (id *uuid.UUID, hash []byte) {
	if s.id != uuid.Nil {
		return &s.id, nil
	}
	return nil, []byte(s.hash)
}

// lookupResult is a principal, zero when not found.
type lookupResult struct {
	principal principal.Principal
	// resource is the audience of an access token; unused means a first use.
	resource string
	unused   bool
	// stale means that the time of the last use should be renewed.
	stale bool
}

// lookups batches concurrent lookups of the same credential (request coalescing). Each caller gets a row that was read
// after its request began.
type lookups = *batching.Batcher[principalKey, struct{}, lookupResult]

const maxLookups = 256

// find looks up a principal in a batch.
func (a *Authenticator) find(ctx context.Context, s principalKey) (lookupResult, error) {
	if a.db.InTransaction(ctx) {
		return a.lookup(ctx, s)
	}
	return a.lookups.Do(ctx, s, struct{}{})
}

// lookupBatch looks up once for all waiting callers.
func (a *Authenticator) lookupBatch(ctx context.Context, s principalKey, all []struct{}) ([]lookupResult, error) {
	f, err := a.lookup(ctx, s)
	if err != nil {
		return nil, err
	}
	founds := make([]lookupResult, len(all))
	for i := range founds {
		founds[i] = f
		if i > 0 {
			founds[i].principal = f.principal.Clone()
		}
	}
	return founds, nil
}

func (a *Authenticator) lookup(ctx context.Context, s principalKey) (f lookupResult, err error) {
	q := authdb.New(a.db.Conn(ctx))
	switch s.by {
	case atSession:
		var row authdb.PrincipalBySessionRow
		if row, err = q.PrincipalBySession(ctx, a.sessionParams(s)); err == nil {
			return foundBySession(row), nil
		}
	case atToken:
		var row authdb.PrincipalByTokenRow
		if row, err = q.PrincipalByToken(ctx, a.tokenParams(s)); err == nil {
			return foundByToken(row), nil
		}
	case atConsent:
		var row authdb.PrincipalByConsentRow
		if row, err = q.PrincipalByConsent(ctx, a.consentParams(s)); err == nil {
			return foundByConsent(row), nil
		}
	case atRun:
		var row authdb.PrincipalByRunRow
		if row, err = q.PrincipalByRun(ctx, a.runParams(s)); err == nil {
			return foundByRun(row), nil
		}
	}
	if store.NoRows(err) {
		return lookupResult{}, nil
	}
	return lookupResult{}, fmt.Errorf("find principal by %s: %w", s.by, err)
}

// Requery adds a lookup of the principal to a batch of queries: zero when its session, token, consent or run has ended.
func (a *Authenticator) Requery(p principal.Principal) *store.BatchedQuery[principal.Principal] {
	s := principalKey{by: atSession, id: p.SessionID}
	switch {
	case p.Run != nil:
		s.by = atRun
	case p.Kind == principal.Application:
		s.by = atToken
	case p.Client != nil && p.Client.ID != p.SessionID.String(): // a chat token is a session
		s.by = atConsent
	}
	return store.NewBatchedQuery(s, func(b *store.Batch) func() principal.Principal {
		var session *authdb.PrincipalBySessionRow
		var token *authdb.PrincipalByTokenRow
		var consent *authdb.PrincipalByConsentRow
		var run *authdb.PrincipalByRunRow
		switch s.by {
		case atSession:
			authdb.QueuePrincipalBySession(b, a.sessionParams(s), &session)
		case atToken:
			authdb.QueuePrincipalByToken(b, a.tokenParams(s), &token)
		case atConsent:
			authdb.QueuePrincipalByConsent(b, a.consentParams(s), &consent)
		case atRun:
			authdb.QueuePrincipalByRun(b, a.runParams(s), &run)
		}
		return func() principal.Principal {
			switch {
			case session != nil:
				return foundBySession(*session).principal
			case token != nil:
				return foundByToken(*token).principal
			case consent != nil:
				return foundByConsent(*consent).principal
			case run != nil:
				return foundByRun(*run).principal
			}
			return principal.Principal{}
		}
	})
}

func (a *Authenticator) sessionParams(s principalKey) authdb.PrincipalBySessionParams {
	id, hash := s.keys()
	return authdb.PrincipalBySessionParams{
		SessionID: id, TokenHash: hash, DefaultRole: UsersRole, ObjectTypes: a.grants.types(),
		TouchSeconds: touchAfter.Seconds(), IdleSeconds: a.idle.Seconds(), Kind: s.kind,
	}
}

func foundBySession(row authdb.PrincipalBySessionRow) lookupResult {
	f := lookupResult{stale: row.Stale, principal: principal.Principal{
		Kind: principal.User, ID: row.ID, Name: row.Name, Email: row.Email,
		Rules: row.Rules, TeamIDs: row.TeamIds, Grants: parseGrants(row.Grants), SessionID: row.SessionID,
		MustChangePassword: row.MustChangePassword,
	}}
	if row.Kind == chatToken {
		f.principal.Client = &principal.Client{
			ID:     row.SessionID.String(),
			Name:   row.TokenName,
			Scopes: []string{principal.ScopeRead, principal.ScopeWrite},
		}
	}
	return f
}

func (a *Authenticator) tokenParams(s principalKey) authdb.PrincipalByTokenParams {
	id, hash := s.keys()
	return authdb.PrincipalByTokenParams{TokenID: id, TokenHash: hash, TouchSeconds: touchAfter.Seconds(), ObjectTypes: a.grants.types()}
}

func foundByToken(row authdb.PrincipalByTokenRow) lookupResult {
	return lookupResult{stale: row.Stale, principal: principal.Principal{
		Kind:      principal.Application,
		ID:        row.ID,
		Name:      row.Name,
		Rules:     row.Rules,
		Grants:    parseGrants(row.Grants),
		SessionID: row.TokenID,
		IssuerID:  row.IssuerID,
	}}
}

func (a *Authenticator) runParams(s principalKey) authdb.PrincipalByRunParams {
	return authdb.PrincipalByRunParams{RunID: s.id, ObjectTypes: a.grants.types()}
}

func foundByRun(row authdb.PrincipalByRunRow) lookupResult {
	return lookupResult{principal: principal.Principal{
		Kind: principal.Application, ID: row.ID, Name: row.Name, Rules: row.Rules, Grants: parseGrants(row.Grants),
		SessionID: row.RunID, IssuerID: row.IssuerID,
		Run: &principal.Run{
			ID: row.RunID, Definition: principal.Definition{Kind: row.DefinitionKind, ID: row.DefinitionID, Revision: row.Revision},
			AuthorID: row.AuthorID,
		},
	}}
}

func (a *Authenticator) consentParams(s principalKey) authdb.PrincipalByConsentParams {
	id, hash := s.keys()
	return authdb.PrincipalByConsentParams{
		ConsentID: id, TokenHash: hash, DefaultRole: UsersRole, ObjectTypes: a.grants.types(), TouchSeconds: touchAfter.Seconds(),
	}
}

func foundByConsent(row authdb.PrincipalByConsentRow) lookupResult {
	return lookupResult{stale: row.Stale, resource: row.Resource, unused: row.Unused, principal: principal.Principal{
		Kind: principal.User, ID: row.ID, Name: row.Name, Email: row.Email,
		Rules: row.Rules, TeamIDs: row.TeamIds, Grants: parseGrants(row.Grants), SessionID: row.ConsentID,
		MustChangePassword: row.MustChangePassword,
		Client:             &principal.Client{ID: row.ClientID, Name: row.ClientName, Scopes: row.Scopes},
	}}
}
