package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// Begin discovers the authorization server, registers the product there if needed, and returns the flow and the
// address for the browser. fresh is the registration, if one was made. state returns with the browser.
func (c *Client) Begin(ctx context.Context, want Request, state string) (f Flow, address string, fresh *Registration, err error) {
	ctx, cancel := context.WithTimeout(ctx, discoveryTimeout)
	defer cancel()
	w, client := c.open()
	x := &discovery{Client: c, wire: w, http: client}
	resource, challenged, err := x.resource(ctx, want.Address)
	if err != nil {
		return f, "", nil, err
	}
	issuer, err := selectIssuer(resource.AuthorizationServers, want.Issuer)
	if err != nil {
		return f, "", nil, err
	}
	server, err := x.server(ctx, issuer)
	if err != nil {
		return f, "", nil, err
	}
	f = Flow{
		Redirect:    want.Redirect,
		Verifier:    oauth2.GenerateVerifier(),
		NamesIssuer: server.AuthorizationResponseIssParameterSupported,
		Connection: Connection{
			Address:    want.Address,
			Resource:   resource.Resource,
			Issuer:     server.Issuer,
			Token:      server.TokenEndpoint,
			Revocation: server.RevocationEndpoint,
		},
	}
	if f.Revocation != "" && c.o.Permit(ctx, f.Revocation) != nil {
		f.Revocation = ""
	}
	scopes := scopesOf(want, challenged, resource, server)
	f.Scopes = strings.Join(scopes, " ")
	switch {
	case want.ClientID != "":
		f.ClientID, f.Method = want.ClientID, methodOf(server, want.Confidential)
	default:
		registration := want.Known
		if registration == nil || !registration.fits(server.Issuer, want) {
			if fresh, err = x.register(ctx, server, want.Redirect, f.Scopes); err != nil {
				return f, "", nil, err
			}
			registration = fresh
		}
		f.ClientID, f.Secret, f.Method = registration.ClientID, registration.Secret, registration.Method
	}
	for _, text := range []string{f.Resource, f.Issuer, f.Token, f.Revocation, f.ClientID, f.Scopes, server.AuthorizationEndpoint} {
		if len(text) > maxText {
			return f, "", nil, &ServerError{fmt.Sprintf("what it says of itself is longer than %d characters", maxText)}
		}
	}
	config := oauth2.Config{
		ClientID:    f.ClientID,
		Endpoint:    oauth2.Endpoint{AuthURL: server.AuthorizationEndpoint},
		RedirectURL: f.Redirect,
		Scopes:      scopes,
	}
	return f, config.AuthCodeURL(state, oauth2.S256ChallengeOption(f.Verifier), oauth2.SetAuthURLParam("resource", f.Resource)), fresh, nil
}

// discovery is one conversation with an MCP server and its authorization server.
type discovery struct {
	*Client

	wire *recordingTransport
	http *http.Client
}

// resource returns the protected resource metadata of an MCP server (RFC 9728) and the scopes that it challenges for.
// A server without metadata (protocol revisions before 2025-06-18) is assumed to have its authorization server at its
// own origin.
func (x *discovery) resource(ctx context.Context, address string) (*oauthex.ProtectedResourceMetadata, []string, error) {
	metadata, scopes, err := x.challenge(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, err
	}
	var worst error
	root := u.Scheme + "://" + u.Host
	const known = "/.well-known/oauth-protected-resource"
	for _, place := range []struct {
		at        string
		resources []string
	}{
		{metadata, []string{address, root, root + "/"}},
		{root + known + strings.TrimSuffix(u.EscapedPath(), "/"), []string{address}},
		{root + known, []string{root, root + "/"}},
	} {
		if place.at == "" {
			continue
		}
		for _, resource := range place.resources {
			x.wire.status, x.wire.failure = 0, nil
			found, err := oauthex.GetProtectedResourceMetadata(ctx, place.at, resource, x.http)
			if err == nil && len(found.AuthorizationServers) == 0 {
				return nil, nil, &ServerError{"it names no authorization server"}
			}
			if err == nil {
				return found, scopes, nil
			}
			if x.wire.absent() {
				break
			}
			if worst == nil {
				worst = x.wire.why(ctx, err.Error())
			}
			if x.wire.status != http.StatusOK || x.wire.failure != nil {
				break
			}
		}
	}
	if worst != nil {
		return nil, nil, worst
	}
	return &oauthex.ProtectedResourceMetadata{Resource: address, AuthorizationServers: []string{root}}, scopes, nil
}

// hello is the first message of a client, without a token.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"countersign","version":"1"}}}`

// challenge requests an MCP server without a token and returns the metadata address and scopes of its
// WWW-Authenticate challenge. A server that does not refuse may still publish metadata at its well-known address.
func (x *discovery) challenge(ctx context.Context, address string) (metadata string, scopes []string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(hello))
	if err != nil {
		return "", nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := x.http.Do(req)
	if err != nil {
		return "", nil, x.wire.why(ctx, "")
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized && res.StatusCode != http.StatusForbidden {
		return "", nil, nil
	}
	challenges, err := oauthex.ParseWWWAuthenticate(res.Header.Values("WWW-Authenticate"))
	if err != nil {
		return "", nil, nil //nolint:nilerr // who cannot be understood may still say so at the well-known address
	}
	for _, one := range challenges {
		if one.Scheme != "bearer" {
			continue
		}
		return one.Params["resource_metadata"], strings.Fields(one.Params["scope"]), nil
	}
	return "", nil, nil
}

// selectIssuer selects the authorization server among those that an MCP server names.
func selectIssuer(named []string, only string) (string, error) {
	if only == "" {
		return named[0], nil
	}
	for _, one := range named {
		if sameIssuer(one, only) {
			return one, nil
		}
	}
	return "", &ServerError{"it names another authorization server than the one that was set, which is " + shown(named[0])}
}

// sameIssuer compares issuers that people entered. Issuers in answers of servers are compared exactly.
func sameIssuer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

// server fetches the metadata of an authorization server (RFC 8414, OpenID Connect Discovery).
func (x *discovery) server(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	x.wire.status, x.wire.failure = 0, nil
	found, err := sdkauth.GetAuthServerMetadata(ctx, issuer, x.http)
	switch {
	case err != nil:
		return nil, &ServerError{"of its authorization server, " + x.wire.why(ctx, err.Error()).Reason}
	case found == nil:
		return nil, &ServerError{"its authorization server " + shown(issuer) + " does not say how to sign in (RFC 8414)"}
	case found.AuthorizationEndpoint == "" || found.TokenEndpoint == "":
		return nil, &ServerError{"its authorization server names no endpoints for the authorization code"}
	case !slices.Contains(found.CodeChallengeMethodsSupported, "S256"):
		return nil, &ServerError{"its authorization server does not take PKCE with S256"}
	}
	if err := x.o.Permit(ctx, found.TokenEndpoint); err != nil {
		x.wire.failure = err
		return nil, &ServerError{"of the token endpoint of its authorization server, " + x.wire.why(ctx, "").Reason}
	}
	return found, nil
}

// scopesOf returns the scopes to request: the administrator's, else those of the challenge, else those of the
// resource. offline_access is added where it exists, for a refresh token.
func scopesOf(want Request, challenged []string, resource *oauthex.ProtectedResourceMetadata, server *oauthex.AuthServerMeta) []string {
	scopes := strings.Fields(want.Scopes)
	if len(scopes) > 0 {
		return scopes
	}
	if scopes = challenged; len(scopes) == 0 {
		scopes = slices.Clone(resource.ScopesSupported)
	}
	const offline = "offline_access"
	if slices.Contains(server.ScopesSupported, offline) && !slices.Contains(scopes, offline) {
		scopes = append(scopes, offline)
	}
	return scopes
}

// The client authentication methods of a token endpoint (RFC 7591).
const (
	public = "none"
	basic  = "client_secret_basic"
	post   = "client_secret_post"
)

// methodOf selects the client authentication method, with or without a secret. The default is HTTP Basic (RFC 8414).
func methodOf(server *oauthex.AuthServerMeta, confidential bool) string {
	switch methods := server.TokenEndpointAuthMethodsSupported; {
	case !confidential:
		return public
	case slices.Contains(methods, post) && !slices.Contains(methods, basic):
		return post
	}
	return basic
}

// register registers the product as a client (RFC 7591). It prefers a public client: without a secret there is none
// to protect.
func (x *discovery) register(ctx context.Context, server *oauthex.AuthServerMeta, redirect, scopes string) (*Registration, error) {
	if server.RegistrationEndpoint == "" {
		return nil, &ServerError{
			"its authorization server lets no program register itself; register one there by hand, with the redirect address " +
				"that is shown for this server, and enter its client ID",
		}
	}
	method := methodOf(server, !slices.Contains(server.TokenEndpointAuthMethodsSupported, public))
	kind := "web"
	if u, err := url.Parse(redirect); err == nil && u.Scheme == "http" {
		kind = "native" // OpenID Connect permits http for native clients on the person's own computer only
	}
	made, err := oauthex.RegisterClient(ctx, server.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{
			redirect,
		},
		ClientName:              x.o.Name,
		GrantTypes:              []string{"authorization_code", "refresh_token"},
		ResponseTypes:           []string{"code"},
		TokenEndpointAuthMethod: method,
		ApplicationType:         kind,
		Scope:                   scopes,
	}, x.http)
	if refused, ok := errors.AsType[*oauthex.ClientRegistrationError](err); ok {
		return nil, &ServerError{
			"its authorization server did not register this program: " + shown(refused.ErrorCode+" "+refused.ErrorDescription),
		}
	}
	if err != nil {
		// The error may quote the answer, which holds a secret.
		return nil, &ServerError{"its authorization server did not register this program: " + x.wire.why(ctx, "").Reason}
	}
	r := &Registration{
		Issuer:   server.Issuer,
		Redirect: redirect,
		ClientID: made.ClientID,
		Secret:   made.ClientSecret,
		Method:   made.TokenEndpointAuthMethod,
		Ends:     made.ClientSecretExpiresAt,
	}
	switch {
	case r.Secret == "":
		r.Method = public
	case r.Method != post:
		r.Method = basic
	}
	if len(r.ClientID) > maxText || len(r.Secret) > maxToken {
		return nil, &ServerError{"its authorization server has registered this program with an id or a secret that is too long"}
	}
	return r, nil
}

// fits reports whether a registration can be reused. One whose secret expires soon is recreated.
func (r *Registration) fits(issuer string, want Request) bool {
	const soon = time.Hour
	return r.Issuer == issuer && r.Redirect == want.Redirect && (r.Ends.IsZero() || r.Ends.After(want.Now.Add(soon)))
}
