package auth

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/auth/credential"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// ChatPath is the path prefix that chat tokens open, and nothing else does.
const ChatPath = "/v1/"

// Kinds of sessions in the database; "" is either.
const (
	signIn    = "sign-in"
	chatToken = "chat"
)

const (
	maxChatTokens      = 20
	maxChatTokenDays   = 366
	maxChatTokenName   = 200
	defaultChatTokenIn = 90 * 24 * time.Hour
)

// ChatToken lets a program chat with the assistant as the person, and nothing else: it cannot apply a proposal, read a
// record or create a token.
type ChatToken struct {
	ID         uuid.UUID `json:"id"`
	Name       string    `json:"name"`
	CreatedAt  time.Time `json:"createdAt"`
	LastUsedAt time.Time `json:"lastUsedAt" doc:"Renewed at most once a minute; when it was made, if it was never used"`
	ExpiresAt  time.Time `json:"expiresAt"`
}

// NewChatToken is a chat token to create.
type NewChatToken struct {
	Name      string     `json:"name" minLength:"1" maxLength:"200" doc:"What it is for"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"At most 366 days from now; in 90 days when absent"`
}

// byChatToken accepts a person's chat token for the paths it opens.
func (a *Authenticator) byChatToken(ctx context.Context, r *http.Request, token string) (principal.Principal, error) {
	hash, ok := credential.Parse(strings.TrimPrefix(token, ChatTokenPrefix))
	if !ok {
		return principal.Principal{}, a.refuseToken(
			ctx,
			r,
			problem.Errorf(problem.Unauthorized, "The bearer token is not a chat token of this server. Make one on your account page."),
		)
	}
	p, stale, err := a.bySession(ctx, nil, hash, chatToken)
	if err != nil {
		return principal.Principal{}, err
	}
	if p.IsZero() {
		return principal.Principal{}, a.refuseToken(
			ctx,
			r,
			problem.Errorf(problem.Unauthorized, "The chat token is unknown, expired or revoked. Make a new one on your account page."),
		)
	}
	if !strings.HasPrefix(r.URL.Path, ChatPath) {
		return principal.Principal{}, problem.Errorf(
			problem.Unauthorized,
			"A chat token is for the addresses under %s alone. Sign in, or use the token of an application.",
			ChatPath,
		)
	}
	if stale {
		if err := a.requireRecentSignIn(ctx, p); err != nil {
			return principal.Principal{}, err
		}
		err := authdb.New(a.db.Conn(ctx)).TouchSession(ctx, authdb.TouchSessionParams{ID: p.SessionID, TouchSeconds: touchAfter.Seconds()})
		a.logTouch(ctx, err)
	}
	return p, nil
}

// ChatTokens lists a person's valid chat tokens, the newest first.
func (s *Sessions) ChatTokens(ctx context.Context, p principal.Principal) ([]ChatToken, error) {
	rows, err := authdb.New(s.db.Conn(ctx)).ChatTokensByUser(ctx, p.ID)
	if err != nil {
		return nil, fmt.Errorf("list chat tokens: %w", err)
	}
	tokens := make([]ChatToken, len(rows))
	for i, row := range rows {
		tokens[i] = chatTokenOf(row)
	}
	return tokens, nil
}

func chatTokenOf(row authdb.Session) ChatToken {
	return ChatToken{ID: row.ID, Name: row.Name, CreatedAt: row.CreatedAt, LastUsedAt: row.LastSeenAt, ExpiresAt: row.ExpiresAt}
}

// MakeChatToken creates a chat token, whose text is returned only once.
func (s *Sessions) MakeChatToken(ctx context.Context, p principal.Principal, n NewChatToken) (made ChatToken, token string, err error) {
	var v validation
	n.Name = v.name("name", n.Name)
	if err := v.Err(); err != nil {
		return made, "", err
	}
	text, hash := credential.New()
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		q := authdb.New(s.db.Conn(ctx))
		if err := q.LockChatTokens(ctx, p.ID.String()); err != nil {
			return fmt.Errorf("lock chat tokens: %w", err)
		}
		if err := q.LockPerson(ctx, p.ID); err != nil {
			return fmt.Errorf("lock person: %w", err)
		}
		stands, err := q.SignInStands(ctx, authdb.SignInStandsParams{ID: p.SessionID, UserID: p.ID})
		if err != nil {
			return fmt.Errorf("find session: %w", err)
		}
		if !stands {
			return problem.Errorf(problem.Unauthorized, "You were signed out meanwhile. Sign in again.")
		}
		held, err := q.ChatTokensByUser(ctx, p.ID)
		if err != nil {
			return fmt.Errorf("count chat tokens: %w", err)
		}
		if len(held) >= maxChatTokens {
			return problem.Errorf(problem.Conflict, "You have %d chat tokens, which is the most one person can have. Revoke one first.", len(held))
		}
		expires, err := s.chatTokenEnds(ctx, n)
		if err != nil {
			return err
		}
		row, err := q.InsertChatToken(ctx, authdb.InsertChatTokenParams{
			ID: uuid.New(), TokenHash: hash, UserID: p.ID, ExpiresAt: expires, Name: n.Name, MostDays: maxChatTokenDays,
		})
		if store.NoRows(err) {
			return problem.InvalidInput(
				"The chat token cannot be made.",
				problem.Issue{Path: "expiresAt", Message: fmt.Sprintf("must lie in the future, at most %d days from now", maxChatTokenDays)},
			)
		}
		if err != nil {
			return fmt.Errorf("make chat token: %w", err)
		}
		made, token = chatTokenOf(row), ChatTokenPrefix+text
		return s.record(ctx, p, audit.Changed, "Made a chat token", nil, "")
	})
	return made, token, err
}

// chatTokenEnds is the expiry of a new chat token.
func (s *Sessions) chatTokenEnds(ctx context.Context, n NewChatToken) (time.Time, error) {
	if n.ExpiresAt != nil {
		return *n.ExpiresAt, nil
	}
	now, err := s.db.Now(ctx)
	return now.Add(defaultChatTokenIn), err
}

// RevokeChatToken ends one of the person's chat tokens and reports whether this call did. Turns that it started end
// with it.
func (s *Sessions) RevokeChatToken(ctx context.Context, p principal.Principal, id uuid.UUID) (bool, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (bool, error) {
		n, err := authdb.New(s.db.Conn(ctx)).DeleteSession(ctx, authdb.DeleteSessionParams{ID: id, UserID: p.ID, Kind: chatToken})
		if err != nil || n == 0 {
			return false, wrap("revoke chat token", err)
		}
		return true, s.record(ctx, p, audit.Changed, "Revoked a chat token", nil, "")
	})
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (s *Sessions) chatTokenRoutes(api huma.API) {
	type tokenList struct {
		Tokens []ChatToken `json:"tokens" nullable:"false"`
	}
	type madeToken struct {
		ChatToken ChatToken `json:"chatToken"`
		Token     string    `json:"token" doc:"Shown this once. Send it as a bearer token"`
	}
	const path = "/api/auth/chat-tokens"
	huma.Register(api, rest.Op("list-chat-tokens", http.MethodGet, path, "List my chat tokens"),
		func(ctx context.Context, _ *struct{}) (*rest.Body[tokenList], error) {
			p, err := ByHand(ctx)
			if err != nil {
				return nil, err
			}
			tokens, err := s.ChatTokens(ctx, p)
			return rest.With(tokenList{tokens}, err)
		})
	huma.Register(api, rest.Op("make-chat-token", http.MethodPost, path, "Make a chat token", rest.ShownOnce(),
		rest.Doc("For clients of the OpenAI protocol, at /v1. It lets them chat as you, and nothing else.")),
		func(ctx context.Context, in *struct{ Body NewChatToken }) (*rest.Body[madeToken], error) {
			p, err := ByHand(ctx)
			if err != nil {
				return nil, err
			}
			made, token, err := s.MakeChatToken(ctx, p, in.Body)
			return rest.With(madeToken{made, token}, err)
		})
	huma.Register(api, rest.Op("revoke-chat-token", http.MethodDelete, path+"/{id}", "Revoke one of my chat tokens"),
		func(ctx context.Context, in *rest.ByID) (*struct{}, error) {
			p, err := ByHand(ctx)
			if err != nil {
				return nil, err
			}
			done, err := s.RevokeChatToken(ctx, p, in.ID)
			if err == nil && !done {
				err = problem.Errorf(problem.NotFound, "None of your chat tokens has the id %s. List them to see what exists.", in.ID)
			}
			return nil, err
		})
}
