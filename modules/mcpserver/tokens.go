package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/modules/mcpserver/signin"
)

const (
	// renewBefore is the remaining lifetime at which an access token is renewed: more than a call takes.
	renewBefore = callTimeout + listTimeout
	// renewTimeout bounds a renewal, including the wait for a renewal of another process.
	renewTimeout = 30 * time.Second
)

// sessionCredential is a credential for one exchange. generation counts renewals of a token, 0 for one that is not renewed.
type sessionCredential struct {
	value      secret.Value
	generation int64
}

// credential returns the credential for a server: a secret of the vault or the token of a sign-in.
func (m *Module) credential(
	ctx context.Context,
	p principal.Principal,
	row mcpserverdb.McpServer,
	purpose string,
) (sessionCredential, error) {
	if Auth(row.Auth) != OAuth {
		value, err := m.vaultSecret(ctx, p, row, purpose)
		return sessionCredential{value: value}, err
	}
	kept, err := m.queries(ctx).SignIn(ctx, mcpserverdb.SignInParams{ServerID: row.ID, Seconds: renewBefore.Seconds()})
	if store.NoRows(err) {
		return sessionCredential{}, signInFirst(row)
	}
	if err != nil {
		return sessionCredential{}, fmt.Errorf("read the sign-in at an MCP server: %w", err)
	}
	connection, err := m.openConnection(row, kept.McpSignIn)
	if err != nil {
		return sessionCredential{}, err
	}
	if kept.Fresh || connection.Refresh == "" && kept.Alive {
		return sessionCredential{secret.NewValue(connection.Access), kept.McpSignIn.Generation}, nil
	}
	return m.renewToken(ctx, p, row, kept.McpSignIn.Generation, purpose, false)
}

// openConnection decrypts the tokens of a sign-in. The error is a *problem.Error where an administrator has to sign in.
func (m *Module) openConnection(row mcpserverdb.McpServer, kept mcpserverdb.McpSignIn) (c signin.Connection, err error) {
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

// renewToken replaces the tokens of a generation, unless another caller has: once over all processes, as a refresh token
// may be usable once only. refused reports that the server rejects the access token.
func (m *Module) renewToken(
	ctx context.Context,
	p principal.Principal,
	row mcpserverdb.McpServer,
	generation int64,
	purpose string,
	refused bool,
) (sessionCredential, error) {
	done := m.renewing.DoChan(fmt.Sprintf("%s %d", row.ID, generation), func() (any, error) {
		// Cancelling now could lose the new tokens for all users.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
		defer cancel()
		return m.renewLocked(ctx, p, row, generation, purpose, refused)
	})
	select {
	case <-ctx.Done():
		return sessionCredential{}, ctx.Err()
	case answer := <-done:
		got, _ := answer.Val.(sessionCredential)
		return got, answer.Err
	}
}

// renewLocked renews under the cluster-wide lock. The row is not locked meanwhile: if the sign-in ends, the new tokens
// are revoked.
func (m *Module) renewLocked(
	ctx context.Context,
	p principal.Principal,
	row mcpserverdb.McpServer,
	generation int64,
	purpose string,
	refused bool,
) (got sessionCredential, err error) {
	client, err := m.clientSecret(ctx, p, row, purpose)
	if err != nil {
		return sessionCredential{}, err
	}
	var over error
	var unwanted *signin.Connection
	err = m.DB.InTx(ctx, func(ctx context.Context) error {
		kept, connection, err := m.lockForRenewal(ctx, row)
		if err != nil {
			return err
		}
		if kept.McpSignIn.Generation != generation {
			got = sessionCredential{secret.NewValue(connection.Access), kept.McpSignIn.Generation}
			return nil
		}
		tokens, err := m.signIns.Renew(ctx, connection, client)
		switch {
		case errors.Is(err, signin.ErrRefused):
			over, err = m.recordRefusal(ctx, row, kept.McpSignIn, err)
			return err
		case err != nil && kept.Alive && !refused:
			// The token is still valid, and the next call retries.
			m.Log.Warn("Token of an MCP server not renewed", "server", row.ID, "error", err)
			got = sessionCredential{secret.NewValue(connection.Access), generation}
			return nil
		case err != nil:
			return renewalFailed(row, err)
		}
		connection.Access = tokens.Access
		if tokens.Refresh != "" {
			connection.Refresh = tokens.Refresh
		}
		wanted, err := m.keepTokens(ctx, kept.McpSignIn, connection, tokens.Lifetime)
		if err != nil || !wanted {
			unwanted, over = &connection, signInFirst(row)
			return err
		}
		got = sessionCredential{secret.NewValue(connection.Access), generation + 1}
		return nil
	})
	if unwanted != nil {
		m.revokeTokens(ctx, row.ID, *unwanted, client)
	}
	if err != nil {
		return sessionCredential{}, err
	}
	return got, over
}

// lockForRenewal waits for the renewal lock and reads the sign-in.
func (m *Module) lockForRenewal(
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
	// The sign-in may have been replaced by one at another server, with a generation count of its own.
	now, err := q.Server(ctx, row.ID)
	if err != nil {
		return kept, connection, fmt.Errorf("read MCP server: %w", err)
	}
	if signInSettingsOf(now) != signInSettingsOf(row) {
		return kept, connection, signInFirst(row)
	}
	connection, err = m.openConnection(row, kept.McpSignIn)
	return kept, connection, err
}

// keepTokens saves new tokens of a sign-in, and reports whether the sign-in still exists.
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
	n, err := m.queries(ctx).SaveTokens(ctx, mcpserverdb.SaveTokensParams{
		ServerID: of.ServerID, Generation: of.Generation, SignedInAt: *of.SignedInAt, Connection: sealed, Seconds: secondsOf(lasts),
	})
	if err != nil {
		return false, fmt.Errorf("keep tokens of an MCP server: %w", err)
	}
	return n == 1, nil
}

// recordRefusal records that an administrator has to sign in again, and why. over is the error for the caller.
func (m *Module) recordRefusal(ctx context.Context, row mcpserverdb.McpServer, of mcpserverdb.McpSignIn, why error) (over, err error) {
	n, err := m.queries(
		ctx,
	).RecordRefusal(
		ctx,
		mcpserverdb.RecordRefusalParams{ServerID: row.ID, Generation: of.Generation, SignedInAt: *of.SignedInAt, Reason: why.Error()},
	)
	if err != nil {
		return nil, fmt.Errorf("keep that a sign-in at an MCP server is over: %w", err)
	}
	if n == 0 {
		return signInFirst(row), nil
	}
	return signInAgain(
			row,
		), m.recordFinding(
			ctx,
			row,
			"An MCP server refused to renew its sign-in, so an administrator has to sign in again",
			nil,
		)
}

// revokeTokens revokes unused tokens where the authorization server can.
func (m *Module) revokeTokens(ctx context.Context, server uuid.UUID, connection signin.Connection, client string) {
	if !m.signIns.Revoke(context.WithoutCancel(ctx), connection, client) {
		m.Log.Warn("Tokens of an MCP server not revoked", "server", server)
	}
}

// clientSecret returns the secret of an administrator's client, "" for none.
func (m *Module) clientSecret(ctx context.Context, p principal.Principal, row mcpserverdb.McpServer, purpose string) (string, error) {
	value, err := m.vaultSecret(ctx, p, row, purpose)
	return value.Reveal(), err
}

// adminPage is the page on which administrators sign in.
const adminPage = "/admin/mcp-servers"

func signInFirst(row mcpserverdb.McpServer) error {
	return problem.Errorf(
		problem.Conflict,
		"The MCP server %s is not connected, so nothing was sent. An administrator has to connect it under Admin > MCP servers (%s).",
		row.Name,
		adminPage,
	).
		With(
			"signIn",
			SignedOut,
		).With(
		"link",
		adminPage,
	)
}

func signInAgain(row mcpserverdb.McpServer) error {
	return problem.Errorf(
		problem.Conflict,
		"The sign-in at the MCP server %s has ended, so nothing was sent. An administrator has to sign in again under Admin > MCP servers (%s).",
		row.Name,
		adminPage,
	).
		With(
			"signIn",
			SignInAgain,
		).With(
		"link",
		adminPage,
	)
}

func renewalFailed(row mcpserverdb.McpServer, err error) error {
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

// Associated data of sealed values.
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

// Sealed are the sign-ins of people at MCP servers.
func (m *Module) Sealed() []secret.Sealed {
	return []secret.Sealed{{Values: "sign-ins at MCP servers", Reseal: func(ctx context.Context) (int, error) {
		return Reseal(ctx, m.DB, m.Sealer)
	}}}
}

// Reseal seals every sign-in that an older key sealed with the newest key, and reports how many (secret.ResealEach).
// Attempts expire before a key does.
func Reseal(ctx context.Context, db *store.DB, keys secret.Sealer) (int, error) {
	const batch = 100
	return secret.ResealEach(ctx, func(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error) {
		ids, err := mcpserverdb.New(db.Conn(ctx)).SealedSignIns(ctx, mcpserverdb.SealedSignInsParams{After: after, MaxRows: batch})
		if err != nil {
			return nil, fmt.Errorf("list sign-ins at MCP servers: %w", err)
		}
		return ids, nil
	}, func(ctx context.Context, id uuid.UUID) (bool, error) { return resealOne(ctx, db, keys, id) })
}

func resealOne(ctx context.Context, db *store.DB, keys secret.Sealer, id uuid.UUID) (changed bool, err error) {
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
