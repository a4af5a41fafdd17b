package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/modules/mcpserver/signin"
)

const (
	// attemptLifetime bounds the time of a person at an authorization server.
	attemptLifetime = 10 * time.Minute
	// signInPath is the prefix of redirect addresses; the slug follows, against mix-up attacks: no server gets the
	// answer of another one's authorization server (RFC 9700, 4.4).
	signInPath = adminPage + "/sign-in/"
)

// signInSettings holds the settings that a sign-in depends on. A change of one ends it.
type signInSettings struct{ address, auth, secret, client, issuer, scopes string }

func signInSettingsOf(r mcpserverdb.McpServer) signInSettings {
	return signInSettings{r.Address, r.Auth, r.Secret, r.ClientID, r.Issuer, r.Scopes}
}

func (m *Module) redirect(slug string) string { return m.URL + signInPath + slug }

// signInOf describes the sign-in at a server; nil for a server without OAuth.
func (m *Module) signInOf(row mcpserverdb.ServersRow) *SignIn {
	if Auth(row.McpServer.Auth) != OAuth {
		return nil
	}
	return &SignIn{
		State: SignInState(
			row.SignInState,
		),
		Redirect: m.redirect(row.McpServer.Slug),
		Issuer:   row.SignInIssuer,
		Since:    row.SignedInAt,
		Reason:   row.SignInReason,
	}
}

// requirePerson returns the person of ctx, who may change the server and uses the web app: no program signs in for them.
func (m *Module) requirePerson(ctx context.Context, row mcpserverdb.McpServer) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if err := kind.Sight(ctx).Permit(ctx, m.DB, row.ID, row.Name, nil, access.Edit); err != nil {
		return p, err
	}
	if !p.ByHand() {
		return p, problem.Errorf(problem.Forbidden, "Only a person who has signed in can do this.")
	}
	if Auth(row.Auth) != OAuth {
		return p, problem.Errorf(
			problem.Conflict,
			"The MCP server %s does not use OAuth. Choose OAuth for it first.",
			row.Name,
		)
	}
	return p, nil
}

// StartSignIn starts a sign-in of the person of ctx at a server and returns the address for their browser.
func (m *Module) StartSignIn(ctx context.Context, id uuid.UUID) (SignInStart, error) {
	row, err := m.servers.See(ctx, id)
	if err != nil {
		return SignInStart{}, err
	}
	p, err := m.requirePerson(ctx, row)
	if err != nil {
		return SignInStart{}, err
	}
	place, err := m.Quota.Acquire(ctx, p, m.calling)
	if err != nil {
		return SignInStart{}, err
	}
	defer place.Release(ctx)
	if _, err := m.target(ctx, row.Address); err != nil {
		return SignInStart{}, err
	}
	want := signin.Request{
		Address:      row.Address,
		Issuer:       row.Issuer,
		ClientID:     row.ClientID,
		Confidential: row.Secret != "",
		Scopes:       row.Scopes,
		Redirect:     m.redirect(row.Slug),
	}
	if want.Known, err = m.clientRegistration(ctx, id); err != nil {
		return SignInStart{}, err
	}
	if want.Now, err = m.DB.Now(ctx); err != nil {
		return SignInStart{}, err
	}
	state := rand.Text()
	flow, address, fresh, err := m.signIns.Begin(ctx, want, state)
	if err != nil {
		return SignInStart{}, signInFailed(row, err)
	}
	return SignInStart{Address: address}, m.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := m.lockUnchanged(ctx, row); err != nil {
			return err
		}
		q := m.queries(ctx)
		if fresh != nil {
			sealed, err := m.seal(fresh, registrationOf(id))
			if err != nil {
				return err
			}
			if err := q.SaveRegistration(ctx, mcpserverdb.SaveRegistrationParams{ServerID: id, Registration: sealed}); err != nil {
				return fmt.Errorf("keep the registration at an MCP server: %w", err)
			}
		}
		sealed, err := m.seal(flow, flowOf(id))
		if err != nil {
			return err
		}
		hash := sha256.Sum256([]byte(state))
		err = q.CreateAttempt(
			ctx,
			mcpserverdb.CreateAttemptParams{ServerID: id, UserID: p.ID, StateHash: hash[:], Flow: sealed, Seconds: attemptLifetime.Seconds()},
		)
		if err != nil {
			return fmt.Errorf("keep a sign-in at an MCP server: %w", err)
		}
		return nil
	})
}

// lockUnchanged locks a server and refuses when the settings of its sign-in have changed.
func (m *Module) lockUnchanged(ctx context.Context, row mcpserverdb.McpServer) (mcpserverdb.McpServer, error) {
	now, err := m.queries(ctx).LockServer(ctx, row.ID)
	if store.NoRows(err) {
		return now, kind.Missing(row.ID)
	}
	if err != nil {
		return now, fmt.Errorf("lock MCP server: %w", err)
	}
	if signInSettingsOf(now) != signInSettingsOf(row) {
		return now, problem.Errorf(problem.Conflict, "The MCP server %s was changed meanwhile. Sign in again.", row.Name)
	}
	return now, nil
}

// clientRegistration returns the product's client registration for a server; nil for none.
func (m *Module) clientRegistration(ctx context.Context, id uuid.UUID) (*signin.Registration, error) {
	kept, err := m.queries(ctx).SignIn(ctx, mcpserverdb.SignInParams{ServerID: id})
	if store.NoRows(err) || err == nil && kept.McpSignIn.Registration == nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a sign-in at an MCP server: %w", err)
	}
	var known signin.Registration
	return &known, m.open(kept.McpSignIn.Registration, registrationOf(id), &known)
}

// FinishSignIn completes a sign-in of the person of ctx with the answer of their browser. It works once.
func (m *Module) FinishSignIn(ctx context.Context, a SignInAnswer) (Server, error) {
	row, err := m.visibleBySlug(ctx, a.Server)
	if err != nil {
		return Server{}, err
	}
	p, err := m.requirePerson(ctx, row)
	if err != nil {
		return Server{}, err
	}
	answer, err := url.ParseQuery(a.Query)
	if err != nil || len(answer["state"]) != 1 {
		return Server{}, staleAnswer(row)
	}
	// A caller over the quota can retry with the same code.
	place, err := m.Quota.Acquire(ctx, p, m.calling)
	if err != nil {
		return Server{}, err
	}
	defer place.Release(ctx)
	hash := sha256.Sum256([]byte(answer.Get("state")))
	sealed, err := m.queries(ctx).ConsumeAttempt(ctx, mcpserverdb.ConsumeAttemptParams{ServerID: row.ID, UserID: p.ID, StateHash: hash[:]})
	if store.NoRows(err) {
		return Server{}, staleAnswer(row)
	}
	if err != nil {
		return Server{}, fmt.Errorf("take a sign-in at an MCP server: %w", err)
	}
	var flow signin.Flow
	if err := m.open(sealed, flowOf(row.ID), &flow); err != nil {
		return Server{}, err
	}
	if flow.Address != row.Address {
		return Server{}, staleAnswer(row)
	}
	code, err := flow.Code(answer)
	if err != nil {
		return Server{}, signInFailed(row, err)
	}
	client, err := m.clientSecret(ctx, p, row, "a sign-in at the MCP server "+row.Slug)
	if err != nil {
		return Server{}, err
	}
	tokens, err := m.signIns.Exchange(ctx, flow, client, code)
	if err != nil {
		return Server{}, signInFailed(row, err)
	}
	// The sign-in completes even when the person's request ends now.
	ctx = context.WithoutCancel(ctx)
	flow.Access, flow.Refresh = tokens.Access, tokens.Refresh
	server, err := m.keepSignIn(ctx, row, flow.Connection, tokens.Lifetime)
	if err != nil {
		m.revokeTokens(ctx, row.ID, flow.Connection, client)
	}
	return server, err
}

// visibleBySlug finds a server that the caller sees. Others get the answer for a missing one (enumeration guard).
func (m *Module) visibleBySlug(ctx context.Context, slug string) (mcpserverdb.McpServer, error) {
	row, err := m.queries(ctx).ServerBySlug(ctx, slug)
	if err == nil {
		row, err = m.servers.See(ctx, row.ID)
	}
	if store.NoRows(err) || problem.Is(err, problem.NotFound) {
		return row, problem.Errorf(problem.NotFound, "There is no such MCP server.")
	}
	if err != nil {
		return row, fmt.Errorf("find an MCP server: %w", err)
	}
	return row, nil
}

func (m *Module) keepSignIn(
	ctx context.Context,
	row mcpserverdb.McpServer,
	connection signin.Connection,
	lasts *time.Duration,
) (server Server, err error) {
	sealed, err := m.seal(connection, connectionOf(row.ID))
	if err != nil {
		return Server{}, err
	}
	err = m.DB.InTx(ctx, func(ctx context.Context) error {
		now, err := m.lockUnchanged(ctx, row)
		if err != nil {
			return err
		}
		err = m.queries(
			ctx,
		).SaveSignIn(
			ctx,
			mcpserverdb.SaveSignInParams{ServerID: row.ID, Connection: sealed, Issuer: connection.Issuer, Seconds: secondsOf(lasts)},
		)
		if err != nil {
			return fmt.Errorf("keep a sign-in at an MCP server: %w", err)
		}
		var fields audit.Fields
		fields.Compare("issuer", "", connection.Issuer)
		if err := m.record(ctx, audit.Ran, now, "A user signed in at an MCP server, for everybody", fields); err != nil {
			return err
		}
		server, err = m.Get(ctx, row.ID)
		return err
	})
	return server, err
}

// EndSignIn deletes the tokens of a server, if it still has the revision based, and revokes them where the
// authorization server can.
func (m *Module) EndSignIn(ctx context.Context, id uuid.UUID, based *int64) (SignedOff, error) {
	var off SignedOff
	row, err := m.servers.See(ctx, id)
	if err != nil {
		return off, err
	}
	p, err := m.requirePerson(ctx, row)
	if err != nil {
		return off, err
	}
	var gone *signin.Connection
	err = m.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := m.servers.Hold(ctx, id, access.Edit, based); err != nil {
			return err
		}
		ended, err := m.deleteSignIn(ctx, id)
		if err != nil || ended == nil || ended.State == string(SignedOut) {
			return err
		}
		off.Ended = true
		if ended.Connection != nil {
			gone = &signin.Connection{}
			if err := m.open(ended.Connection, connectionOf(id), gone); err != nil {
				// An unreadable connection is deleted, too, but cannot be revoked.
				m.Log.Error("Sign-in at an MCP server not decrypted", "server", id, "error", err)
				gone = nil
			}
		}
		return m.record(ctx, audit.Ran, row, "The sign-in at an MCP server was ended", nil)
	})
	if err != nil || gone == nil {
		return off, err
	}
	ctx = context.WithoutCancel(ctx)
	client, err := m.clientSecret(ctx, p, row, "the end of a sign-in at the MCP server "+row.Slug)
	if err != nil {
		m.Log.Warn("Tokens of an MCP server not revoked", "server", id, "error", err)
		return off, nil
	}
	off.Revoked = m.signIns.Revoke(ctx, *gone, client)
	return off, nil
}

// deleteSignIn deletes the sign-in and started attempts of a server in the transaction of ctx, and returns the deleted
// sign-in, nil for none.
func (m *Module) deleteSignIn(ctx context.Context, id uuid.UUID) (*mcpserverdb.McpSignIn, error) {
	q := m.queries(ctx)
	if err := q.DeleteAttempts(ctx, id); err != nil {
		return nil, fmt.Errorf("end sign-ins at an MCP server: %w", err)
	}
	ended, err := q.DeleteSignIn(ctx, id)
	if store.NoRows(err) {
		return nil, nil //nolint:nilnil // nothing is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("end the sign-in at an MCP server: %w", err)
	}
	return &ended, nil
}

// staleAnswer is the error for an answer that belongs to no sign-in of the caller.
func staleAnswer(row mcpserverdb.McpServer) error {
	return problem.Errorf(
		problem.Expired,
		"This is not the answer to a sign-in at the MCP server %s that you have begun, or it is older than ten minutes, or "+
			"it was used already. Nothing was done with it. Start again with Connect.",
		row.Name,
	)
}

// signInFailed is the error for a failed sign-in. Administrators read it.
func signInFailed(row mcpserverdb.McpServer, err error) error {
	if said, ok := errors.AsType[*signin.ServerError](err); ok {
		return problem.Errorf(problem.Conflict, "The sign-in at the MCP server %s failed: %s.", row.Name, said.Reason)
	}
	if errors.Is(err, signin.ErrRefused) {
		return problem.Errorf(problem.Conflict, "The sign-in at the MCP server %s failed: %s.", row.Name, err.Error())
	}
	return err
}

func secondsOf(lasts *time.Duration) *float64 {
	if lasts == nil {
		return nil
	}
	return new(lasts.Seconds())
}
