package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/modules/mcpserver/signin"
	"countersign/principal"
	"countersign/problem"
	"countersign/secret"
	"countersign/store"
)

const (
	// renewBefore is how much of its time an access token has left when it is renewed: more than a call takes.
	renewBefore = callTimeout + lookTimeout
	// renewTimeout bounds a renewal, with the time for which another process may be about it.
	renewTimeout = 30 * time.Second
)

// held is a credential for one exchange. The generation is that of a token, 0 for what is not renewed.
type held struct {
	value      secret.Value
	generation int64
}

// credential is what a server is sent, of the vault or of a sign-in.
func (m *Module) credential(ctx context.Context, p principal.Principal, row mcpserverdb.McpServer, purpose string) (held, error) {
	if Auth(row.Auth) != OAuth {
		value, err := m.value(ctx, p, row, purpose)
		return held{value: value}, err
	}
	kept, err := m.queries(ctx).SignIn(ctx, mcpserverdb.SignInParams{ServerID: row.ID, Seconds: renewBefore.Seconds()})
	if store.NoRows(err) {
		return held{}, signInFirst(row)
	}
	if err != nil {
		return held{}, fmt.Errorf("read the sign-in at an MCP server: %w", err)
	}
	connection, err := m.connected(row, kept.McpSignIn)
	if err != nil {
		return held{}, err
	}
	if kept.Fresh || connection.Refresh == "" && kept.Alive {
		return held{secret.NewValue(connection.Access), kept.McpSignIn.Generation}, nil
	}
	return m.renew(ctx, p, row, kept.McpSignIn.Generation, purpose, false)
}

// connected opens what a server has given. The error is a *problem.Error where somebody has to sign in.
func (m *Module) connected(row mcpserverdb.McpServer, kept mcpserverdb.McpSignIn) (c signin.Connection, err error) {
	switch SignInState(kept.State) {
	case SignedIn:
	case SignInAgain:
		return c, signInAgain(row)
	default:
		return c, signInFirst(row)
	}
	if err := m.open(kept.Connection, connectionOf(row.ID), &c); err != nil {
		return c, err
	}
	if c.Address != row.Address {
		return c, signInFirst(row)
	}
	return c, nil
}

// renew gets other tokens in place of those of a generation, unless somebody has: one does so over all processes, as
// the old refresh token may be used up by that. refused says that the server itself does not take the access token.
func (m *Module) renew(
	ctx context.Context,
	p principal.Principal,
	row mcpserverdb.McpServer,
	generation int64,
	purpose string,
	refused bool,
) (held, error) {
	done := m.renewing.DoChan(fmt.Sprintf("%s %d", row.ID, generation), func() (any, error) {
		// Who goes now would lose the tokens for everybody.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
		defer cancel()
		return m.renewed(ctx, p, row, generation, purpose, refused)
	})
	select {
	case <-ctx.Done():
		return held{}, ctx.Err()
	case answer := <-done:
		got, _ := answer.Val.(held)
		return got, answer.Err
	}
}

// renewed asks while no other process does. The row is free meanwhile: what comes back for a sign-in that has ended by then is given back.
func (m *Module) renewed(
	ctx context.Context,
	p principal.Principal,
	row mcpserverdb.McpServer,
	generation int64,
	purpose string,
	refused bool,
) (got held, err error) {
	client, err := m.clientSecret(ctx, p, row, purpose)
	if err != nil {
		return held{}, err
	}
	var over error
	var unwanted *signin.Connection
	err = m.DB.InTx(ctx, func(ctx context.Context) error {
		kept, connection, err := m.toRenew(ctx, row)
		if err != nil {
			return err
		}
		if kept.McpSignIn.Generation != generation {
			got = held{secret.NewValue(connection.Access), kept.McpSignIn.Generation}
			return nil
		}
		tokens, err := m.signIns.Renew(ctx, connection, client)
		switch {
		case errors.Is(err, signin.ErrRefused):
			over, err = m.refuse(ctx, row, kept.McpSignIn, err)
			return err
		case err != nil && kept.Alive && !refused:
			// It is good for now, and the next call tries again.
			m.Log.Warn("Token of an MCP server not renewed", "server", row.ID, "error", err)
			got = held{secret.NewValue(connection.Access), generation}
			return nil
		case err != nil:
			return unrenewed(row, err)
		}
		connection.Access = tokens.Access
		if tokens.Refresh != "" {
			connection.Refresh = tokens.Refresh
		}
		wanted, err := m.keepTokens(ctx, kept.McpSignIn, connection, tokens.Lasts)
		if err != nil || !wanted {
			unwanted, over = &connection, signInFirst(row)
			return err
		}
		got = held{secret.NewValue(connection.Access), generation + 1}
		return nil
	})
	if unwanted != nil {
		m.giveBack(ctx, row.ID, *unwanted, client)
	}
	if err != nil {
		return held{}, err
	}
	return got, over
}

// toRenew is the sign-in at a server, once it is this process's turn to renew it.
func (m *Module) toRenew(
	ctx context.Context,
	row mcpserverdb.McpServer,
) (kept mcpserverdb.SignInRow, connection signin.Connection, err error) {
	q := m.queries(ctx)
	if err := q.LockRenewal(ctx, row.ID.String()); err != nil {
		return kept, connection, fmt.Errorf("wait for the renewal of a sign-in at an MCP server: %w", err)
	}
	kept, err = q.SignIn(ctx, mcpserverdb.SignInParams{ServerID: row.ID})
	if store.NoRows(err) {
		return kept, connection, signInFirst(row)
	}
	if err != nil {
		return kept, connection, fmt.Errorf("read the sign-in at an MCP server: %w", err)
	}
	// It may be another sign-in by now, at another server, which counts its tokens from the beginning.
	now, err := q.Server(ctx, row.ID)
	if err != nil {
		return kept, connection, fmt.Errorf("read MCP server: %w", err)
	}
	if basisOf(now) != basisOf(row) {
		return kept, connection, signInFirst(row)
	}
	connection, err = m.connected(row, kept.McpSignIn)
	return kept, connection, err
}

// keepTokens keeps new tokens of a sign-in, and reports whether it is still there.
func (m *Module) keepTokens(
	ctx context.Context,
	of mcpserverdb.McpSignIn,
	connection signin.Connection,
	lasts *time.Duration,
) (bool, error) {
	sealed, err := m.seal(connection, connectionOf(of.ServerID))
	if err != nil {
		return false, err
	}
	n, err := m.queries(ctx).KeepTokens(ctx, mcpserverdb.KeepTokensParams{
		ServerID: of.ServerID, Generation: of.Generation, SignedInAt: *of.SignedInAt, Connection: sealed, Seconds: seconds(lasts),
	})
	if err != nil {
		return false, fmt.Errorf("keep tokens of an MCP server: %w", err)
	}
	return n == 1, nil
}

// refuse keeps that somebody has to sign in again, and why. over is what the caller hears.
func (m *Module) refuse(ctx context.Context, row mcpserverdb.McpServer, of mcpserverdb.McpSignIn, why error) (over, err error) {
	n, err := m.queries(
		ctx,
	).RefuseSignIn(
		ctx,
		mcpserverdb.RefuseSignInParams{ServerID: row.ID, Generation: of.Generation, SignedInAt: *of.SignedInAt, Reason: why.Error()},
	)
	if err != nil {
		return nil, fmt.Errorf("keep that a sign-in at an MCP server is over: %w", err)
	}
	if n == 0 {
		return signInFirst(row), nil
	}
	return signInAgain(row), m.found(ctx, row, "An MCP server refused to renew its sign-in, so somebody has to sign in again", nil)
}

// giveBack gives back tokens that nobody has a use for, where the authorization server takes them.
func (m *Module) giveBack(ctx context.Context, server uuid.UUID, connection signin.Connection, client string) {
	if !m.signIns.Revoke(context.WithoutCancel(ctx), connection, client) {
		m.Log.Warn("Tokens of an MCP server not given back", "server", server)
	}
}

// clientSecret is the secret of a client that an administrator has registered, "" for none.
func (m *Module) clientSecret(ctx context.Context, p principal.Principal, row mcpserverdb.McpServer, purpose string) (string, error) {
	value, err := m.value(ctx, p, row, purpose)
	return value.Reveal(), err
}

// page is where administrators sign in.
const page = "/admin/mcp-servers"

func signInFirst(row mcpserverdb.McpServer) error {
	return problem.Errorf(
		problem.Conflict,
		"Nobody has signed in at the MCP server %s, so nothing was sent. An administrator has to connect it under Admin > MCP servers (%s).",
		row.Name,
		page,
	).
		With(
			"signIn",
			SignedOut,
		).With(
		"link",
		page,
	)
}

func signInAgain(row mcpserverdb.McpServer) error {
	return problem.Errorf(
		problem.Conflict,
		"The sign-in at the MCP server %s is over, so nothing was sent. An administrator has to sign in again under Admin > MCP servers (%s).",
		row.Name,
		page,
	).
		With(
			"signIn",
			SignInAgain,
		).With(
		"link",
		page,
	)
}

func unrenewed(row mcpserverdb.McpServer, err error) error {
	if said, ok := errors.AsType[*signin.ServerError](err); ok {
		return problem.Errorf(
			problem.Conflict,
			"The sign-in at the MCP server %s could not be renewed, so nothing was sent: of its authorization server, %s. Try again later.",
			row.Name,
			said.Reason,
		)
	}
	return err
}

// What sealed values are bound to.
func registrationOf(id uuid.UUID) string { return "mcp_sign_ins/registration/" + id.String() }
func connectionOf(id uuid.UUID) string   { return "mcp_sign_ins/connection/" + id.String() }
func flowOf(id uuid.UUID) string         { return "mcp_sign_in_attempts/flow/" + id.String() }

func (m *Module) seal(value any, associated string) ([]byte, error) {
	plain, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode a sign-in at an MCP server: %w", err)
	}
	return m.Sealer.Seal(plain, []byte(associated))
}

func (m *Module) open(sealed []byte, associated string, into any) error {
	plain, err := m.Sealer.Open(sealed, []byte(associated))
	if err != nil {
		return fmt.Errorf("open a sign-in at an MCP server: %w", err)
	}
	if err := json.Unmarshal(plain, into); err != nil {
		return fmt.Errorf("decode a sign-in at an MCP server: %w", err)
	}
	return nil
}

// Resealer seals a value with the newest key, and reports false when it was already. *secret.Keyset is one.
type Resealer interface {
	Reseal(sealed, associated []byte) ([]byte, bool, error)
}

// Reseal seals every sign-in that an older key of the keyset sealed with the newest one, and reports how many, as
// secret.ResealEach says. Those that have only begun are gone before a key is.
func Reseal(ctx context.Context, db *store.DB, keys Resealer) (int, error) {
	const batch = 100
	return secret.ResealEach(ctx, func(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error) {
		ids, err := mcpserverdb.New(db.Conn(ctx)).SealedSignIns(ctx, mcpserverdb.SealedSignInsParams{After: after, MaxRows: batch})
		if err != nil {
			return nil, fmt.Errorf("list sign-ins at MCP servers: %w", err)
		}
		return ids, nil
	}, func(ctx context.Context, id uuid.UUID) (bool, error) { return resealOne(ctx, db, keys, id) })
}

func resealOne(ctx context.Context, db *store.DB, keys Resealer, id uuid.UUID) (changed bool, err error) {
	err = db.InTx(ctx, func(ctx context.Context) error {
		q := mcpserverdb.New(db.Conn(ctx))
		kept, err := q.LockSignIn(ctx, id)
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock the sign-in at an MCP server: %w", err)
		}
		fresh := mcpserverdb.ResealSignInParams{ServerID: id, Registration: kept.Registration, Connection: kept.Connection}
		for associated, sealed := range map[string]*[]byte{registrationOf(id): &fresh.Registration, connectionOf(id): &fresh.Connection} {
			if *sealed == nil {
				continue
			}
			again, isNew, err := keys.Reseal(*sealed, []byte(associated))
			if err != nil {
				return fmt.Errorf("sign-in at the MCP server %s: %w", id, err)
			}
			*sealed, changed = again, changed || isNew
		}
		if !changed {
			return nil
		}
		if err := q.ResealSignIn(ctx, fresh); err != nil {
			return fmt.Errorf("reseal the sign-in at an MCP server: %w", err)
		}
		return nil
	})
	return changed && err == nil, err
}
