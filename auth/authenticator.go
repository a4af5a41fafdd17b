package auth

import (
	"context"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/auth/credential"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
)

// Authenticator identifies the caller of a request.
//
// An invalid bearer token is refused. An invalid session cookie makes the request anonymous: browsers send it
// automatically, even to the sign-in page. A bearer token takes precedence over a cookie.
type Authenticator struct {
	db        *store.DB
	log       *slog.Logger
	delegator *Delegator
	grants    *Grants
	idle      time.Duration
	// provider bounds how long programs act for a user of the identity provider without a new sign-in there: the
	// lifetime of a session.
	provider       time.Duration
	transport      transport
	resources      resources
	signInThrottle signInThrottle
	refused        *refusedTokens
	lookups        lookups
}

// Authenticate returns the principal of r, zero for an anonymous request, or an Unauthorized problem.
func (a *Authenticator) Authenticate(ctx context.Context, r *http.Request) (principal.Principal, error) {
	if token, ok := bearer(r); ok {
		if delegation, ok := delegated(token); ok {
			return a.byDelegation(ctx, r, delegation)
		}
		if strings.HasPrefix(token, AccessPrefix) {
			return a.byAccess(ctx, r, token)
		}
		if strings.HasPrefix(token, ChatTokenPrefix) {
			return a.byChatToken(ctx, r, token)
		}
		return a.byToken(ctx, r, token)
	}
	hash, ok := a.transport.session(r)
	if !ok {
		return principal.Principal{}, nil
	}
	p, stale, err := a.bySession(ctx, nil, hash, signIn)
	if err != nil || p.IsZero() {
		return principal.Principal{}, err
	}
	if stale {
		err := authdb.New(a.db.Conn(ctx)).TouchSession(ctx, authdb.TouchSessionParams{ID: p.SessionID, TouchSeconds: touchAfter.Seconds()})
		a.logTouch(ctx, err)
	}
	return p, nil
}

// Client is the throttling key of a client, from the connection's address and the X-Forwarded-For header.
func (a *Authenticator) Client(remoteAddr, forwardedFor string) string {
	return a.transport.client(remoteAddr, forwardedFor)
}

func (a *Authenticator) byToken(ctx context.Context, r *http.Request, token string) (principal.Principal, error) {
	text, _ := strings.CutPrefix(token, TokenPrefix)
	hash, ok := credential.Parse(text)
	if !ok || len(text) == len(token) {
		return principal.Principal{}, a.refuseToken(
			ctx,
			r,
			problem.Errorf(problem.Unauthorized, "The bearer token is not an API token of this server. Send one that starts with %s.", TokenPrefix),
		)
	}
	p, stale, err := a.byApplication(ctx, nil, hash)
	if err != nil {
		return principal.Principal{}, err
	}
	if p.IsZero() {
		return principal.Principal{}, a.explain(
			ctx,
			hash,
			a.refuseToken(
				ctx,
				r,
				problem.Errorf(problem.Unauthorized, "The API token is unknown, expired or revoked. Ask an administrator for a new one."),
			),
		)
	}
	if stale {
		err := authdb.New(a.db.Conn(ctx)).TouchToken(ctx, authdb.TouchTokenParams{TokenID: p.SessionID, TouchSeconds: touchAfter.Seconds()})
		a.logTouch(ctx, err)
	}
	return p, nil
}

// explain tells the holder of an expired token when it expired, as only the full token was ever valid. All other
// callers, and throttled ones, get the plain refusal.
func (a *Authenticator) explain(ctx context.Context, hash []byte, refusal error) error {
	if !problem.Is(refusal, problem.Unauthorized) {
		return refusal
	}
	row, err := authdb.New(a.db.Conn(ctx)).ExpiredToken(ctx, hash)
	if store.NoRows(err) {
		return refusal
	}
	if err != nil {
		return fmt.Errorf("look for an expired token: %w", err)
	}
	if row.ExpiresAt == nil || subtle.ConstantTimeCompare(row.TokenHash, hash) != 1 {
		return refusal
	}
	at := row.ExpiresAt.UTC()
	return problem.Errorf(
		problem.Unauthorized,
		"This API token expired on %s UTC. An administrator can renew it: open Admin > Applications and replace the token.",
		at.Format("2 January 2006, 15:04"),
	).With(
		"expiredAt",
		at.Format(time.RFC3339),
	)
}

// refuseToken counts an invalid bearer token by client address, and records it in the audit log.
func (a *Authenticator) refuseToken(ctx context.Context, r *http.Request, refusal *problem.Error) error {
	address := a.transport.client(r.RemoteAddr, list(r.Header, "X-Forwarded-For"))
	a.refused.note(address)
	err := a.signInThrottle.refusedToken(ctx, address, refusal)
	if !problem.Is(err, problem.Throttled) {
		a.log.Warn("Bearer token refused", "address", address)
	}
	return err
}

// byDelegation accepts a turn's credential while its session, API token or run stands. It does not renew the session:
// background work is no sign of a person.
func (a *Authenticator) byDelegation(ctx context.Context, r *http.Request, delegation string) (principal.Principal, error) {
	c, ok := a.delegator.verify(delegation)
	if !ok || !InProcess(r) {
		refusal := problem.Errorf(problem.Unauthorized, "The turn's credential is not valid any more. Ask again in a new message.")
		if !InProcess(r) {
			// A delegated credential from the network is stolen or guessed.
			return principal.Principal{}, a.refuseToken(ctx, r, refusal)
		}
		return principal.Principal{}, refusal
	}
	if c.reader {
		return a.asReader(ctx, c)
	}
	p, seen := tool.TakeRecentPrincipal(ctx, c.kind, c.session)
	if !seen {
		var err error
		if c.run != nil {
			p, err = a.byRun(ctx, c.session)
		} else {
			p, err = a.byID(ctx, c.kind, c.session)
		}
		if err != nil {
			return principal.Principal{}, err
		}
	}
	if c.run != nil && !c.run.fits(p) || c.run == nil && p.Run != nil {
		return principal.Principal{}, errRunEnded()
	}
	if p.IsZero() || p.ID != c.principal {
		return principal.Principal{}, problem.Errorf(
			problem.Unauthorized,
			"The session in which this turn was started has ended. Sign in and ask again.",
		)
	}
	p.TurnID = c.turn
	return p, nil
}

// readerClient stands in for the program of a person to whom a message is rendered: it grants nothing but to read.
const readerClient = "countersign:messages"

// asReader loads a person who is sent something, for reads alone.
func (a *Authenticator) asReader(ctx context.Context, c claims) (principal.Principal, error) {
	p, err := a.Person(ctx, c.principal)
	if err != nil {
		return principal.Principal{}, err
	}
	p.TurnID = c.turn
	p.Client = &principal.Client{ID: readerClient, Name: "Notifications", Scopes: []string{principal.ScopeRead}}
	return p, nil
}

// byRun loads the application that acts in a run; zero when the run cannot act any more.
func (a *Authenticator) byRun(ctx context.Context, id uuid.UUID) (principal.Principal, error) {
	f, err := a.find(ctx, keyOf(atRun, &id, nil, ""))
	return f.principal, err
}

// byID loads the principal of a session, a consent, an API token or a run by id; zero when that has ended.
func (a *Authenticator) byID(ctx context.Context, kind principal.Kind, id uuid.UUID) (principal.Principal, error) {
	if kind == principal.Application {
		p, _, err := a.byApplication(ctx, &id, nil)
		if err != nil || !p.IsZero() {
			return p, err
		}
		return a.byRun(ctx, id)
	}
	p, _, err := a.bySession(ctx, &id, nil, "")
	if err != nil || !p.IsZero() {
		return p, err
	}
	f, err := a.find(ctx, keyOf(atConsent, &id, nil, ""))
	return f.principal, err
}

// bySession finds a live session of a kind by its id or its hash; stale means that its last-seen time should be
// renewed.
func (a *Authenticator) bySession(
	ctx context.Context,
	id *uuid.UUID,
	hash []byte,
	kind string,
) (p principal.Principal, stale bool, err error) {
	f, err := a.find(ctx, keyOf(atSession, id, hash, kind))
	return f.principal, f.stale, err
}

// byApplication finds a live API token by its id or its hash.
func (a *Authenticator) byApplication(ctx context.Context, id *uuid.UUID, hash []byte) (p principal.Principal, stale bool, err error) {
	f, err := a.find(ctx, keyOf(atToken, id, hash, ""))
	return f.principal, f.stale, err
}

// parseGrants parses pairs of object type and relation.
func parseGrants(pairs []string) map[string]string {
	if len(pairs) == 0 {
		return nil
	}
	grants := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		objectType, relation, _ := strings.Cut(pair, " ")
		grants[objectType] = relation
	}
	return grants
}

// logTouch logs a failed renewal of the last-seen time without failing the request.
func (a *Authenticator) logTouch(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		a.log.Warn("Last use not recorded", "error", err)
	}
}
