package oauth

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"countersign/audit"
	"countersign/auth"
	"countersign/auth/credential"
	"countersign/auth/oauth/oauthdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

// Question is the consent request that a person sees.
type Question struct {
	// Name is the unverified name of the program.
	Name string `json:"name" doc:"What the program calls itself. Nobody has checked it"`
	// Origin is the host of its metadata document.
	Origin string `json:"origin,omitempty" doc:"The host of its metadata document, whose owner speaks for it; absent for a program that has registered itself"`
	// ReturnsTo is the destination of the redirect.
	ReturnsTo string           `json:"returnsTo" doc:"Where the answer goes: a host, or a program on this computer"`
	Resource  string           `json:"resource" doc:"The address at which the program will act"`
	Scopes    []Scope          `json:"scopes" nullable:"false" doc:"What it asks for; empty when it has asked wrongly"`
	Refused   *RefusedQuestion `json:"refused,omitempty" doc:"Set when the program has asked wrongly: nothing can be granted"`
}

// Scope describes a scope to people.
type Scope struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// RefusedQuestion is the reason why nothing can be granted.
type RefusedQuestion struct {
	Description string `json:"description"`
	Redirect    string `json:"redirect" doc:"The way back to the program, which tells it why"`
}

// Decision is a person's decision.
type Decision struct {
	Request string   `json:"request" maxLength:"12000" doc:"The parameter request of the page"`
	Allow   bool     `json:"allow"`
	Scopes  []string `json:"scopes,omitempty" maxItems:"10" doc:"Of what it asks for, what it may do; all of it when absent"`
}

// words are the texts of the scopes.
var words = map[string]Scope{
	principal.ScopeRead: {
		Title: "See what you may see",
		Text: "Systems, health checks, their history, documentation and everything else that the assistant can look up for you, " +
			"as long as you may see it yourself.",
	},
	principal.ScopeWrite: {
		Title: "Ask for changes in your name",
		Text: "A change becomes a proposal that waits until you, or a second person if needed, apply it. The program " +
			"gets no right that you do not have.",
	},
}

// decides is the text of the write scope for a program that an administrator trusts to ask its person.
var decides = Scope{
	Title: "Make changes in your name",
	Text: "An administrator lets this program decide for you: it makes changes without asking you here. What removes something or needs a " +
		"second person waits until one applies it. The program gets no right that you do not have.",
}

// describeScopes returns the current meaning of a program's scopes.
func (s *Server) describeScopes(ctx context.Context, c principal.Client) ([]Scope, error) {
	trusted := false
	if s.trusts != nil && slices.Contains(c.Scopes, principal.ScopeWrite) {
		var err error
		if trusted, err = s.trusts(ctx, c); err != nil {
			return nil, err
		}
	}
	said := make([]Scope, 0, len(c.Scopes))
	for _, id := range c.Scopes {
		scope := words[id]
		if id == principal.ScopeWrite && trusted {
			scope = decides
		}
		scope.ID = id
		said = append(said, scope)
	}
	return said, nil
}

// resolve validates a consent request and finds its program. An error is shown to the person only; why is sent to the
// program.
func (s *Server) resolve(ctx context.Context, text string, p principal.Principal) (r request, c client, why *refusal, err error) {
	r, why, err = parseRequest(text, s.resource)
	if err != nil {
		return r, c, nil, err
	}
	if c, err = s.find(ctx, r.clientID, p.ID); err != nil {
		return r, c, nil, err
	}
	if !allows(c.redirectURIs, r.redirectURI) {
		return r, c, nil, problem.Errorf(
			problem.Invalid,
			"The program wants the answer at an address that is not one of its own, so it may be an impostor. Nothing was "+
				"sent there. Start again in the program.",
		)
	}
	return r, c, why, nil
}

// Ask returns the consent request for a person's decision.
func (s *Server) Ask(ctx context.Context, text string) (Question, error) {
	p, err := auth.ByHand(ctx)
	if err != nil {
		return Question{}, err
	}
	r, c, why, err := s.resolve(ctx, text, p)
	if err != nil {
		return Question{}, err
	}
	q := Question{Name: c.name, ReturnsTo: hostOf(r.redirectURI), Resource: s.resource}
	if q.Scopes, err = s.describeScopes(ctx, principal.Client{ID: c.clientID, Name: c.name, Scopes: r.scopes}); err != nil {
		return Question{}, err
	}
	if c.document {
		if u, err := url.Parse(c.clientID); err == nil {
			q.Origin = u.Host
		}
	}
	if why != nil {
		q.Refused = &RefusedQuestion{Description: why.Description, Redirect: r.refuse(s.issuer, *why)}
	}
	return q, nil
}

// Decide carries out a decision and returns the redirect address, which holds the code after a consent.
func (s *Server) Decide(ctx context.Context, d Decision) (redirect string, err error) {
	p, err := auth.ByHand(ctx)
	if err != nil {
		return "", err
	}
	r, c, why, err := s.resolve(ctx, d.Request, p)
	switch {
	case err != nil:
		return "", err
	case why != nil:
		return r.refuse(s.issuer, *why), nil
	case !d.Allow:
		return r.refuse(s.issuer, refusal{accessDenied, "The person did not allow it"}), nil
	}
	granted, err := chosen(d.Scopes, r.scopes)
	if err != nil {
		return "", err
	}
	text, hash := credential.New()
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		q := oauthdb.New(s.db.Conn(ctx))
		if err := q.LockPerson(ctx, p.ID); err != nil {
			return fmt.Errorf("lock person: %w", err)
		}
		n, err := q.AllowClient(ctx, c.id)
		if err != nil {
			return fmt.Errorf("note use of program: %w", err)
		}
		if n == 0 {
			return unknownClient()
		}
		n, err = q.InsertCode(ctx, oauthdb.InsertCodeParams{
			Hash: hash, UserID: p.ID, SessionID: p.SessionID, Client: c.id, Scopes: granted, Resource: s.resource, RedirectUri: r.redirectURI,
			Challenge: r.challenge, LifetimeSeconds: codeLifetime.Seconds(),
		})
		if err != nil {
			return fmt.Errorf("keep code: %w", err)
		}
		if n == 0 {
			return problem.Errorf(problem.Unauthorized, "You were signed out meanwhile. Sign in and start again in the program.")
		}
		return s.record(ctx, audit.Granted, c.id, c.name, p, "A person let a program act for them", granted)
	})
	if err != nil {
		return "", err
	}
	return r.answer(s.issuer, url.Values{"code": {auth.CodePrefix + text}}), nil
}

// chosen returns the granted scopes, at most the requested ones. The write scope includes the read scope.
func chosen(said, wanted []string) ([]string, error) {
	if len(said) == 0 {
		return wanted, nil
	}
	for _, scope := range said {
		if !slices.Contains(wanted, scope) {
			return nil, problem.InvalidInput(
				"The program has not asked for that.",
				problem.Issue{Path: "scopes", Message: "holds what the program has not asked for"},
			)
		}
	}
	return requestedScopes(joined(said)), nil
}
