package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/principal"
	"countersign/store"
	"countersign/store/batching"
)

// way is by what a principal is found.
type way string

const (
	atSession way = "session"
	atToken   way = "token"
	atConsent way = "consent"
)

// sought identifies a principal: the id of a session, an API token or a consent, or the hash of its credential.
type sought struct {
	way  way
	id   uuid.UUID
	hash string
	// kind is that of a session, "" for any.
	kind string
}

func soughtBy(way way, id *uuid.UUID, hash []byte, kind string) sought {
	s := sought{way: way, hash: string(hash), kind: kind}
	if id != nil {
		s.id = *id
	}
	return s
}

func (s sought) keys() (id *uuid.UUID, hash []byte) {
	if s.id != uuid.Nil {
		return &s.id, nil
	}
	return nil, []byte(s.hash)
}

// found is a principal, zero when there is none.
type found struct {
	principal principal.Principal
	// resource is the address that an access token is for, and unused says that nobody has used it yet.
	resource string
	unused   bool
	// stale says that the time of the last use should be renewed.
	stale bool
}

// looks batches concurrent lookups of the same credential (request coalescing). Each caller gets a row that was read
// after its request began.
type looks = *batching.Batcher[sought, struct{}, found]

const maxLooks = 256

// find looks for a principal.
func (a *Authenticator) find(ctx context.Context, s sought) (found, error) {
	if a.db.InTransaction(ctx) {
		return a.look(ctx, s)
	}
	return a.looks.Do(ctx, s, struct{}{})
}

// lookForAll looks up once for all waiting callers.
func (a *Authenticator) lookForAll(ctx context.Context, s sought, all []struct{}) ([]found, error) {
	f, err := a.look(ctx, s)
	if err != nil {
		return nil, err
	}
	founds := make([]found, len(all))
	for i := range founds {
		founds[i] = f
		if i > 0 {
			founds[i].principal = f.principal.Clone()
		}
	}
	return founds, nil
}

func (a *Authenticator) look(ctx context.Context, s sought) (f found, err error) {
	q := authdb.New(a.db.Conn(ctx))
	switch s.way {
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
	}
	if store.NoRows(err) {
		return found{}, nil
	}
	return found{}, fmt.Errorf("find principal by %s: %w", s.way, err)
}

// Again adds a lookup of the principal to a batch of queries: zero when its session, token or consent has ended.
func (a *Authenticator) Again(p principal.Principal) *store.BatchedQuery[principal.Principal] {
	s := sought{way: atSession, id: p.SessionID}
	switch {
	case p.Kind == principal.Application:
		s.way = atToken
	case p.Client != nil && p.Client.ID != p.SessionID.String(): // a chat token is a session
		s.way = atConsent
	}
	return store.NewBatchedQuery(s, func(b *store.Batch) func() principal.Principal {
		var session *authdb.PrincipalBySessionRow
		var token *authdb.PrincipalByTokenRow
		var consent *authdb.PrincipalByConsentRow
		switch s.way {
		case atSession:
			authdb.QueuePrincipalBySession(b, a.sessionParams(s), &session)
		case atToken:
			authdb.QueuePrincipalByToken(b, a.tokenParams(s), &token)
		case atConsent:
			authdb.QueuePrincipalByConsent(b, a.consentParams(s), &consent)
		}
		return func() principal.Principal {
			switch {
			case session != nil:
				return foundBySession(*session).principal
			case token != nil:
				return foundByToken(*token).principal
			case consent != nil:
				return foundByConsent(*consent).principal
			}
			return principal.Principal{}
		}
	})
}

func (a *Authenticator) sessionParams(s sought) authdb.PrincipalBySessionParams {
	id, hash := s.keys()
	return authdb.PrincipalBySessionParams{
		SessionID: id, TokenHash: hash, DefaultRole: UsersRole, ObjectTypes: a.grants.types(),
		TouchSeconds: touchAfter.Seconds(), IdleSeconds: a.idle.Seconds(), Kind: s.kind,
	}
}

func foundBySession(row authdb.PrincipalBySessionRow) found {
	f := found{stale: row.Stale, principal: principal.Principal{
		Kind: principal.User, ID: row.ID, Name: row.Name, Email: row.Email,
		Rules: row.Rules, TeamIDs: row.TeamIds, Grants: held(row.Grants), SessionID: row.SessionID,
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

func (a *Authenticator) tokenParams(s sought) authdb.PrincipalByTokenParams {
	id, hash := s.keys()
	return authdb.PrincipalByTokenParams{TokenID: id, TokenHash: hash, TouchSeconds: touchAfter.Seconds(), ObjectTypes: a.grants.types()}
}

func foundByToken(row authdb.PrincipalByTokenRow) found {
	return found{stale: row.Stale, principal: principal.Principal{
		Kind:      principal.Application,
		ID:        row.ID,
		Name:      row.Name,
		Rules:     row.Rules,
		Grants:    held(row.Grants),
		SessionID: row.TokenID,
		IssuerID:  row.IssuerID,
	}}
}

func (a *Authenticator) consentParams(s sought) authdb.PrincipalByConsentParams {
	id, hash := s.keys()
	return authdb.PrincipalByConsentParams{
		ConsentID: id, TokenHash: hash, DefaultRole: UsersRole, ObjectTypes: a.grants.types(), TouchSeconds: touchAfter.Seconds(),
	}
}

func foundByConsent(row authdb.PrincipalByConsentRow) found {
	return found{stale: row.Stale, resource: row.Resource, unused: row.Unused, principal: principal.Principal{
		Kind: principal.User, ID: row.ID, Name: row.Name, Email: row.Email,
		Rules: row.Rules, TeamIDs: row.TeamIds, Grants: held(row.Grants), SessionID: row.ConsentID,
		MustChangePassword: row.MustChangePassword,
		Client:             &principal.Client{ID: row.ClientID, Name: row.ClientName, Scopes: row.Scopes},
	}}
}
