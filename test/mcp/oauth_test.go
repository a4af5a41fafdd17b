package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/endpoint"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// signedIn is the browser of a person who allows what a client asks for, as the page of the consent does.
type signedIn struct {
	*apptest.Client

	p *apptest.Product
	// asked is how often a client came, and first is what it is let do at the first time; all that it asks for when nil.
	asked int
	first []string
	// options are those of the client.
	options *sdk.ClientOptions
}

func (b *signedIn) allow(t *testing.T) sdkauth.AuthorizationCodeFetcher {
	t.Helper()
	return func(ctx context.Context, args *sdkauth.AuthorizationArgs) (*sdkauth.AuthorizationResult, error) {
		b.asked++
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, args.URL, nil)
		require.NoError(t, err)
		opened, err := http.DefaultTransport.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, opened.Body.Close())
		page, err := opened.Location()
		require.NoError(t, err)
		var decided struct{ Redirect string }
		decision := map[string]any{"request": page.Query().Get("request"), "allow": true}
		if b.asked == 1 && b.first != nil {
			decision["scopes"] = b.first
		}
		b.Post(t, "/api/oauth/decision", decision, &decided)
		back, err := url.Parse(decided.Redirect)
		require.NoError(t, err)
		q := back.Query()
		return &sdkauth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
	}
}

// known is the address that the product gives for itself. A client that reaches it by another one does not trust its metadata.
func known(p *apptest.Product) string { return strings.Replace(p.URL, "127.0.0.1", "localhost", 1) }

// connectAs connects a client that knows the address of the endpoint and nothing else: all of the rest it finds out.
func (b *signedIn) connectAs(t *testing.T, scopes ...string) *sdk.ClientSession {
	t.Helper()
	const callback = "http://127.0.0.1:51234/callback"
	handler, err := sdkauth.NewAuthorizationCodeHandler(&sdkauth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &sdkauth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Stock client", RedirectURIs: []string{callback}, GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
		RedirectURL: callback, AuthorizationCodeFetcher: b.allow(t), Client: http.DefaultClient,
		ScopeFilter: func(discovered []string) []string {
			if scopes == nil {
				return discovered
			}
			return scopes
		},
	})
	require.NoError(t, err)
	session, err := sdk.NewClient(
		&sdk.Implementation{Name: "stock", Version: "1"},
		b.options,
	).Connect(
		t.Context(),
		&sdk.StreamableClientTransport{
			Endpoint: known(b.p) + endpoint.Path, OAuthHandler: handler, MaxRetries: -1, DisableStandaloneSSE: true,
		},
		nil,
	)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func names(t *testing.T, session *sdk.ClientSession) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for one, err := range session.Tools(t.Context(), nil) {
		require.NoError(t, err)
		found[one.Name] = true
	}
	return found
}

// A stock client signs a person in, reads, proposes, and hears what the person has decided at the card; what it was not let do
// it asks for when it is told to.
func TestAPersonConnectsAStockClient(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := &signedIn{Client: p.Person(t, p.Role(t, "catalog.system.read", "catalog.system.manage")), p: p}
	session := ada.connectAs(t)
	require.Equal(t, 1, ada.asked)
	require.True(t, names(t, session)["catalog_createSystem"])
	require.False(t, call(t, session, "catalog_listSystems", map[string]any{}).IsError)

	o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "By a client"})
	require.Equal(t, proposal.Proposed, o.Status)
	require.Empty(t, o.Token, "the person's own client decides nothing")
	require.Zero(t, p.Count(t, "SELECT count(*) FROM catalog_systems WHERE name = 'By a client'"))
	var card proposal.Card
	ada.Get(t, "/api/ai/proposals/"+o.ProposalID.String(), &card)
	ada.Post(t, "/api/ai/proposals/apply", map[string]any{"token": card.Token}, nil)
	require.Equal(
		t,
		proposal.Applied,
		outcome(t, session, "proposal_wait", map[string]any{"proposalId": o.ProposalID.String(), "seconds": 30}).Status,
	)
	require.Equal(t, 1, p.Count(t, "SELECT count(*) FROM ai_tool_calls WHERE transport = 'mcp' AND tool_name = 'catalog.createSystem'"))

	reader := &signedIn{Client: ada.Client, p: p}
	session = reader.connectAs(t, "countersign:read")
	require.False(t, names(t, session)["catalog_createSystem"])
	require.False(t, names(t, session)["proposal_apply"])
	require.Equal(
		t,
		proposal.Applied,
		outcome(t, session, "proposal_wait", map[string]any{"proposalId": o.ProposalID.String()}).Status,
		"it may look",
	)
	require.False(t, call(t, session, "catalog_listSystems", map[string]any{}).IsError)
	require.Equal(t, 1, reader.asked)

	var list struct{ Programs []struct{ ID string } }
	ada.Get(t, "/api/oauth/programs", &list)
	require.Len(t, list.Programs, 2)
	for _, one := range list.Programs {
		ada.Delete(t, "/api/oauth/programs/"+one.ID)
	}
	raw := post(t, p, "cso_"+"A", `{}`)
	require.Equal(t, http.StatusUnauthorized, raw.Status)
	require.Contains(t, raw.Header.Get("WWW-Authenticate"), known(p)+"/.well-known/oauth-protected-resource/mcp")
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "catalog_listSystems"})
	require.NoError(t, err, "it asks again")
	require.Equal(t, 2, reader.asked)

	_, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "ai_probeUrl", Arguments: map[string]any{"url": "http://127.0.0.1:9/"}})
	require.Error(t, err, "to ask for a request to an address of its own is more than to read")
	require.Zero(t, p.Count(t, "SELECT count(*) FROM ai_proposals WHERE tool_name = 'ai.probeUrl'"))
}

// A client that was let read alone is told to ask for more, and a stock client does: for a change, and for a read that could carry
// out what its model has read.
func TestAClientThatMayReadAsksForMoreWhenItIsToldTo(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person := p.Person(t, p.Role(t, "catalog.system.read", "catalog.system.manage"))
	for name, input := range map[string]map[string]any{
		"catalog_createSystem": {"name": "By a reader"},
		"ai_probeUrl":          {"url": "https://203.0.113.7/what-the-model-has-read"},
	} {
		reader := &signedIn{Client: person, p: p, first: []string{"countersign:read"}}
		session := reader.connectAs(t)
		require.Equal(t, 1, reader.asked)
		require.False(t, names(t, session)["catalog_createSystem"])
		require.Equal(t, proposal.Proposed, outcome(t, session, name, input).Status, name)
		require.Equal(t, 2, reader.asked, "%s: the person was asked for more", name)
	}
	require.Equal(t, 2, p.Count(t, "SELECT count(*) FROM ai_proposals"), "the refused calls left none")

	// Without asking for more nothing comes of it.
	reader := &signedIn{Client: person, p: p}
	token := reader.token(t, "countersign:read")
	body, headers := request(
		"tools/call",
		"catalog_createSystem",
		map[string]any{"name": "catalog_createSystem", "arguments": map[string]any{"name": "Again"}},
	)
	refused := post(t, p, token, body, headers...)
	require.Equal(t, http.StatusForbidden, refused.Status, string(refused.Body))
	require.Contains(t, refused.Header.Get("WWW-Authenticate"), `error="insufficient_scope"`)
	require.Equal(t, 2, p.Count(t, "SELECT count(*) FROM ai_proposals"))
	require.Equal(
		t,
		http.StatusUnauthorized,
		p.Bearer(uuid.New(), token).Call(t, http.MethodGet, "/api/me", nil).Status,
		"it does not open the REST API",
	)
}

// token is an access token with these scopes, got without a library.
func (b *signedIn) token(t *testing.T, scope string) string {
	t.Helper()
	const callback, verifier = "http://127.0.0.1:1/cb", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	var client struct {
		ID string `json:"client_id"`
	}
	raw := b.p.Anonymous().Call(t, http.MethodPost, "/oauth/register", map[string]any{"redirect_uris": []string{callback}})
	raw.Decode(t, &client)
	fetch := b.allow(t)
	got, err := fetch(t.Context(), &sdkauth.AuthorizationArgs{URL: b.p.URL + "/oauth/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {callback}, "scope": {scope}, "code_challenge_method": {"S256"},
		// Of RFC 7636, appendix B.
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"},
	}.Encode()})
	require.NoError(t, err)
	response, err := http.PostForm(b.p.URL+"/oauth/token", url.Values{
		"grant_type": {
			"authorization_code",
		},
		"client_id":     {client.ID},
		"redirect_uri":  {callback},
		"code":          {got.Code},
		"code_verifier": {verifier},
	})
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var tokens struct {
		Access string `json:"access_token"`
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&tokens))
	require.NotEmpty(t, tokens.Access)
	return tokens.Access
}

// A program that an administrator trusts decides for its person, within bounds, for as long as it is trusted.
func TestATrustedProgramDecides(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := &signedIn{Client: p.Person(t, p.Role(t, "catalog.system.read", "catalog.system.manage")), p: p}
	session := ada.connectAs(t)
	var list struct {
		Programs []struct {
			ProgramID string `json:"programId"`
		} `json:"programs"`
	}
	p.Admin.Get(t, "/api/oauth/programs?everybody=true", &list)
	require.Len(t, list.Programs, 1)
	trust := func(ids ...string) {
		answer := p.Admin.Call(t, http.MethodPut, "/api/mcp/policy", map[string]any{"trusted": append([]string{}, ids...)})
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	}
	ada.Refused(t, problem.Forbidden, http.MethodPut, "/api/mcp/policy", map[string]any{"trusted": []string{list.Programs[0].ProgramID}})
	p.Admin.Refused(t, problem.Invalid, http.MethodPut, "/api/mcp/policy", map[string]any{"trusted": []string{uuid.NewString()}})
	require.False(t, names(t, session)["proposal_apply"])

	trust(list.Programs[0].ProgramID)
	o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Trusted"})
	require.NotEmpty(t, o.Token)
	require.Equal(t, proposal.Applied, outcome(t, session, "proposal_apply", map[string]any{"token": o.Token}).Status)
	require.Equal(t, 1, p.Count(t, "SELECT count(*) FROM catalog_systems WHERE name = 'Trusted'"))

	var system struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Not by a program"}, &system)
	require.Empty(t, outcome(t, session, "catalog_deleteSystem", map[string]any{"id": system.ID}).Token, "what removes something")
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.createSystem", map[string]any{"alwaysConfirm": true}, nil))
	confirmed := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Confirmed"})
	require.Empty(t, confirmed.Token, "what wants a decision in person")
	var card proposal.Card
	ada.Get(t, "/api/ai/proposals/"+confirmed.ProposalID.String(), &card)
	require.NotEmpty(t, card.Token, "the person may decide")
	require.True(t, call(t, session, "proposal_apply", map[string]any{"token": card.Token}).IsError)
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.createSystem", map[string]any{"alwaysConfirm": false}, nil))

	p.Second(t)
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.createSystem", map[string]any{"twoPerson": true}, nil))
	both := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Both"})
	require.Empty(t, both.Token, "what needs a second person")
	second := p.Second(t).Proposal(t, both.ProposalID).Token
	require.NotEmpty(t, second)
	require.True(
		t,
		call(t, session, "proposal_apply", map[string]any{"token": second}).IsError,
		"a program is no second person, whoever's token it has",
	)
	require.Equal(t, proposal.Proposed, p.Second(t).Proposal(t, both.ProposalID).Status)
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.createSystem", map[string]any{"twoPerson": false}, nil))

	late := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Late"})
	require.NotEmpty(t, late.Token)
	trust()
	require.True(t, call(t, session, "proposal_apply", map[string]any{"token": late.Token}).IsError, "it is trusted no more")
	require.Zero(t, p.Count(t, "SELECT count(*) FROM catalog_systems WHERE name IN ('Late', 'Confirmed', 'Both')"))
}
