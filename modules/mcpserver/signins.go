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

	"countersign/access"
	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/modules/mcpserver/signin"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/tool/audit"
)

const (
	// attemptLifetime is how long a person may take at an authorization server.
	attemptLifetime = 10 * time.Minute
	// signInPath begins the address to which browsers come back; the slug follows, so that no server gets the answer of another one's
	// authorization server (RFC 9700, 4.4).
	signInPath = page + "/sign-in/"
)

// basis is what a sign-in is made by. With another one it is another sign-in.
type basis struct{ address, auth, secret, client, issuer, scopes string }

func basisOf(r mcpserverdb.McpServer) basis {
	return basis{r.Address, r.Auth, r.Secret, r.ClientID, r.Issuer, r.Scopes}
}

func (m *Module) redirect(slug string) string { return m.URL + signInPath + slug }

// signInOf is how it stands with the sign-in at a server; nil where there is none to make.
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

// byHand is the person of ctx, who may change a server and does so at the pages: nobody takes their place.
func (m *Module) byHand(ctx context.Context, row mcpserverdb.McpServer) (principal.Principal, error) {
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
			"Nobody signs in at the MCP server %s: it is told who calls in another way. Choose OAuth for it first.",
			row.Name,
		)
	}
	return p, nil
}

// StartSignIn begins a sign-in of the person of ctx at a server, and says where their browser goes.
func (m *Module) StartSignIn(ctx context.Context, id uuid.UUID) (SignInStart, error) {
	row, err := m.servers.See(ctx, id)
	if err != nil {
		return SignInStart{}, err
	}
	p, err := m.byHand(ctx, row)
	if err != nil {
		return SignInStart{}, err
	}
	place, err := m.Places.Take(ctx, p, m.calling)
	if err != nil {
		return SignInStart{}, err
	}
	defer place.GiveBack(ctx)
	if _, err := m.target(ctx, row.Address); err != nil {
		return SignInStart{}, err
	}
	want := signin.Wanted{
		Address:      row.Address,
		Issuer:       row.Issuer,
		ClientID:     row.ClientID,
		Confidential: row.Secret != "",
		Scopes:       row.Scopes,
		Redirect:     m.redirect(row.Slug),
	}
	if want.Known, err = m.registered(ctx, id); err != nil {
		return SignInStart{}, err
	}
	if want.Now, err = m.DB.Now(ctx); err != nil {
		return SignInStart{}, err
	}
	state := rand.Text()
	flow, address, fresh, err := m.signIns.Begin(ctx, want, state)
	if err != nil {
		return SignInStart{}, unable(row, err)
	}
	return SignInStart{Address: address}, m.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := m.same(ctx, row); err != nil {
			return err
		}
		q := m.queries(ctx)
		if fresh != nil {
			sealed, err := m.seal(fresh, registrationOf(id))
			if err != nil {
				return err
			}
			if err := q.KeepRegistration(ctx, mcpserverdb.KeepRegistrationParams{ServerID: id, Registration: sealed}); err != nil {
				return fmt.Errorf("keep the registration at an MCP server: %w", err)
			}
		}
		sealed, err := m.seal(flow, flowOf(id))
		if err != nil {
			return err
		}
		hash := sha256.Sum256([]byte(state))
		err = q.BeginAttempt(
			ctx,
			mcpserverdb.BeginAttemptParams{ServerID: id, UserID: p.ID, StateHash: hash[:], Flow: sealed, Seconds: attemptLifetime.Seconds()},
		)
		if err != nil {
			return fmt.Errorf("keep a sign-in at an MCP server: %w", err)
		}
		return nil
	})
}

// same locks a server and refuses when a sign-in is made in another way by now.
func (m *Module) same(ctx context.Context, row mcpserverdb.McpServer) (mcpserverdb.McpServer, error) {
	now, err := m.queries(ctx).LockServer(ctx, row.ID)
	if store.NoRows(err) {
		return now, kind.Missing(row.ID)
	}
	if err != nil {
		return now, fmt.Errorf("lock MCP server: %w", err)
	}
	if basisOf(now) != basisOf(row) {
		return now, problem.Errorf(problem.Conflict, "The MCP server %s was changed meanwhile. Sign in again.", row.Name)
	}
	return now, nil
}

// registered is the client that the product has registered for a server; nil for none.
func (m *Module) registered(ctx context.Context, id uuid.UUID) (*signin.Registration, error) {
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

// FinishSignIn ends a sign-in that the person of ctx has begun, with what their browser has come back with. It works once.
func (m *Module) FinishSignIn(ctx context.Context, a SignInAnswer) (Server, error) {
	row, err := m.seenBySlug(ctx, a.Server)
	if err != nil {
		return Server{}, err
	}
	p, err := m.byHand(ctx, row)
	if err != nil {
		return Server{}, err
	}
	answer, err := url.ParseQuery(a.Query)
	if err != nil || len(answer["state"]) != 1 {
		return Server{}, stale(row)
	}
	// Whoever has to wait for a place comes back with the same code.
	place, err := m.Places.Take(ctx, p, m.calling)
	if err != nil {
		return Server{}, err
	}
	defer place.GiveBack(ctx)
	hash := sha256.Sum256([]byte(answer.Get("state")))
	sealed, err := m.queries(ctx).TakeAttempt(ctx, mcpserverdb.TakeAttemptParams{ServerID: row.ID, UserID: p.ID, StateHash: hash[:]})
	if store.NoRows(err) {
		return Server{}, stale(row)
	}
	if err != nil {
		return Server{}, fmt.Errorf("take a sign-in at an MCP server: %w", err)
	}
	var flow signin.Flow
	if err := m.open(sealed, flowOf(row.ID), &flow); err != nil {
		return Server{}, err
	}
	if flow.Address != row.Address {
		return Server{}, stale(row)
	}
	code, err := flow.Code(answer)
	if err != nil {
		return Server{}, unable(row, err)
	}
	client, err := m.clientSecret(ctx, p, row, "a sign-in at the MCP server "+row.Slug)
	if err != nil {
		return Server{}, err
	}
	tokens, err := m.signIns.Exchange(ctx, flow, client, code)
	if err != nil {
		return Server{}, unable(row, err)
	}
	// A person who goes now has signed in all the same.
	ctx = context.WithoutCancel(ctx)
	flow.Access, flow.Refresh = tokens.Access, tokens.Refresh
	server, err := m.keepSignIn(ctx, row, flow.Connection, tokens.Lasts)
	if err != nil {
		m.giveBack(ctx, row.ID, flow.Connection, client)
	}
	return server, err
}

// seenBySlug is the server with a slug, for who sees it. All others hear the same as of one that is not there.
func (m *Module) seenBySlug(ctx context.Context, slug string) (mcpserverdb.McpServer, error) {
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
		now, err := m.same(ctx, row)
		if err != nil {
			return err
		}
		err = m.queries(
			ctx,
		).KeepSignIn(
			ctx,
			mcpserverdb.KeepSignInParams{ServerID: row.ID, Connection: sealed, Issuer: connection.Issuer, Seconds: seconds(lasts)},
		)
		if err != nil {
			return fmt.Errorf("keep a sign-in at an MCP server: %w", err)
		}
		var fields audit.Fields
		fields.Compare("issuer", "", connection.Issuer)
		if err := m.record(ctx, audit.Ran, now, "Somebody signed in at an MCP server, for everybody", fields); err != nil {
			return err
		}
		server, err = m.Get(ctx, row.ID)
		return err
	})
	return server, err
}

// EndSignIn takes away what a server has given, if the server still has the revision that this is based on, and gives it back where the
// authorization server takes it.
func (m *Module) EndSignIn(ctx context.Context, id uuid.UUID, based *int64) (SignedOff, error) {
	var off SignedOff
	row, err := m.servers.See(ctx, id)
	if err != nil {
		return off, err
	}
	p, err := m.byHand(ctx, row)
	if err != nil {
		return off, err
	}
	var gone *signin.Connection
	err = m.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := m.servers.Hold(ctx, id, access.Edit, based); err != nil {
			return err
		}
		ended, err := m.endSignIn(ctx, id)
		if err != nil || ended == nil || ended.State == string(SignedOut) {
			return err
		}
		off.Ended = true
		if ended.Connection != nil {
			gone = &signin.Connection{}
			if err := m.open(ended.Connection, connectionOf(id), gone); err != nil {
				// What cannot be opened is taken away all the same, and cannot be given back.
				m.Log.Error("Sign-in at an MCP server not opened", "server", id, "error", err)
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
		m.Log.Warn("Tokens of an MCP server not given back", "server", id, "error", err)
		return off, nil
	}
	off.Revoked = m.signIns.Revoke(ctx, *gone, client)
	return off, nil
}

// endSignIn forgets the sign-in at a server and those that have begun, in the transaction of ctx. It returns what there
// was, nil for nothing.
func (m *Module) endSignIn(ctx context.Context, id uuid.UUID) (*mcpserverdb.McpSignIn, error) {
	q := m.queries(ctx)
	if err := q.EndAttempts(ctx, id); err != nil {
		return nil, fmt.Errorf("end sign-ins at an MCP server: %w", err)
	}
	ended, err := q.EndSignIn(ctx, id)
	if store.NoRows(err) {
		return nil, nil //nolint:nilnil // nothing is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("end the sign-in at an MCP server: %w", err)
	}
	return &ended, nil
}

// stale is said of an answer that belongs to no sign-in of the caller's.
func stale(row mcpserverdb.McpServer) error {
	return problem.Errorf(
		problem.Expired,
		"This is not the answer to a sign-in at the MCP server %s that you have begun, or it is older than ten minutes, or it was used already. Nothing was done with it. Start again with Connect.",
		row.Name,
	)
}

// unable is said of a sign-in that comes to nothing. Administrators read it.
func unable(row mcpserverdb.McpServer, err error) error {
	if said, ok := errors.AsType[*signin.ServerError](err); ok {
		return problem.Errorf(problem.Conflict, "Nobody was signed in at the MCP server %s: %s.", row.Name, said.Reason)
	}
	if errors.Is(err, signin.ErrRefused) {
		return problem.Errorf(problem.Conflict, "Nobody was signed in at the MCP server %s: %s.", row.Name, err.Error())
	}
	return err
}

func seconds(lasts *time.Duration) *float64 {
	if lasts == nil {
		return nil
	}
	return new(lasts.Seconds())
}
