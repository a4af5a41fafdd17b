// Package oidc signs people in at an OpenID Connect provider: the authorization code flow with PKCE and a nonce; the
// library verifies signature, issuer, audience and times of the ID token by the provider's metadata and keys.
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	lib "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"countersign/auth"
	"countersign/internal/problem"
)

// Options configure the provider and the product's client there.
type Options struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	// RedirectURL is the public address of auth.CallbackPath.
	RedirectURL string
	// Scopes are requested in addition to openid.
	Scopes []string
	// GroupsClaim is the claim with a person's groups; "" when unused.
	GroupsClaim string
	// Timeout bounds each request to the provider, 10 s when zero.
	Timeout time.Duration
}

// Provider is an identity provider. Its metadata is loaded at the first sign-in, and again after a failure, so the
// product starts without it.
type Provider struct {
	o      Options
	client *http.Client

	asking singleflight.Group
	found  atomic.Pointer[lib.Provider]
}

// New constructs a Provider.
func New(o Options) (*Provider, error) {
	if o.Issuer == "" || o.ClientID == "" || o.RedirectURL == "" {
		return nil, errors.New("oidc: issuer, client id and redirect URL are required")
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	return &Provider{o: o, client: &http.Client{Timeout: o.Timeout}}, nil
}

var _ auth.IdentityProvider = (*Provider)(nil)

// discover loads the provider's endpoints and keys. Concurrent callers share one request, and none waits longer than
// its timeout.
func (p *Provider) discover(ctx context.Context) (*lib.Provider, error) {
	if found := p.found.Load(); found != nil {
		return found, nil
	}
	asked := p.asking.DoChan("metadata", func() (any, error) {
		// Keys are loaded later with this context, which must outlive the request.
		found, err := lib.NewProvider(lib.ClientContext(context.WithoutCancel(ctx), p.client), p.o.Issuer)
		if err != nil {
			return nil, auth.Refused(false, fmt.Errorf("read metadata of identity provider: %w", err))
		}
		p.found.Store(found)
		return found, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case answer := <-asked:
		found, _ := answer.Val.(*lib.Provider)
		return found, answer.Err
	}
}

func (p *Provider) config(found *lib.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.o.ClientID, ClientSecret: p.o.ClientSecret, RedirectURL: p.o.RedirectURL, Endpoint: found.Endpoint(),
		Scopes: append([]string{lib.ScopeOpenID}, p.o.Scopes...),
	}
}

// Begin implements auth.IdentityProvider.
func (p *Provider) Begin(ctx context.Context) (auth.Attempt, string, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return auth.Attempt{}, "", err
	}
	a := auth.Attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	return a, p.config(found).AuthCodeURL(a.State, lib.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), nil
}

// Finish implements auth.IdentityProvider.
func (p *Provider) Finish(ctx context.Context, a auth.Attempt, answer url.Values, at time.Time) (auth.Identity, error) {
	if a.State == "" || len(answer["state"]) != 1 || !same(answer.Get("state"), a.State) {
		return auth.Identity{}, auth.Stale()
	}
	// A response of another provider is refused (mix-up attack, RFC 9207).
	if issuers, sent := answer["iss"]; sent && (len(issuers) != 1 || issuers[0] != p.o.Issuer) {
		return auth.Identity{}, auth.Refused(false, errors.New("the answer names another issuer"))
	}
	if code := answer.Get("error"); code != "" {
		return auth.Identity{}, auth.Refused(true, fmt.Errorf("the provider answered %q", clip(code)))
	}
	if len(answer["code"]) != 1 || answer.Get("code") == "" {
		return auth.Identity{}, auth.Refused(false, errors.New("the answer has no code"))
	}
	found, err := p.discover(ctx)
	if err != nil {
		return auth.Identity{}, err
	}
	if _, sent := answer["iss"]; !sent && namesIssuer(found) {
		return auth.Identity{}, auth.Refused(false, errors.New("the answer names no issuer, as those of this provider do"))
	}
	ctx = lib.ClientContext(ctx, p.client)
	token, err := p.config(found).Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return auth.Identity{}, auth.Refused(false, plain("exchange code", err))
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return auth.Identity{}, auth.Refused(false, errors.New("the provider sent no ID token"))
	}
	id, err := found.Verifier(&lib.Config{ClientID: p.o.ClientID, Now: func() time.Time { return at }}).Verify(ctx, raw)
	if err != nil {
		return auth.Identity{}, auth.Refused(false, fmt.Errorf("verify ID token: %w", err))
	}
	if !same(id.Nonce, a.Nonce) {
		return auth.Identity{}, auth.Refused(false, errors.New("the ID token has another nonce"))
	}
	if id.Subject == "" || len(id.Subject) > 500 {
		return auth.Identity{}, auth.Refused(false, errors.New("the ID token names nobody"))
	}
	claims, err := p.claims(ctx, found, id, token)
	if err != nil {
		return auth.Identity{}, err
	}
	return claims.identity(id.Issuer, id.Subject, p.o.GroupsClaim), nil
}

// namesIssuer reports whether the provider declares the iss parameter (RFC 9207).
func namesIssuer(found *lib.Provider) bool {
	var metadata struct {
		Names bool `json:"authorization_response_iss_parameter_supported"`
	}
	return found.Claims(&metadata) == nil && metadata.Names
}

// claims returns the claims of the ID token, and of the userinfo endpoint when address or groups are missing.
func (p *Provider) claims(ctx context.Context, found *lib.Provider, id *lib.IDToken, token *oauth2.Token) (claims, error) {
	all := claims{}
	if err := id.Claims(&all); err != nil {
		return nil, auth.Refused(false, fmt.Errorf("read ID token: %w", err))
	}
	_, grouped := all[p.o.GroupsClaim]
	if all.text("email") != "" && (grouped || p.o.GroupsClaim == "") || found.UserInfoEndpoint() == "" {
		return all, nil
	}
	info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, auth.Refused(false, plain("ask for the person", err))
	}
	if info.Subject != id.Subject {
		return nil, auth.Refused(false, errors.New("the provider answered about another person"))
	}
	more := claims{}
	if err := info.Claims(&more); err != nil {
		return nil, auth.Refused(false, fmt.Errorf("read what the provider says: %w", err))
	}
	for name, value := range more {
		if _, said := all[name]; !said {
			all[name] = value
		}
	}
	return all, nil
}

// claims are a provider's claims about a person.
type claims map[string]json.RawMessage

func (c claims) text(name string) string {
	var value string
	_ = json.Unmarshal(c[name], &value)
	return value
}

// list returns a claim with one or several texts.
func (c claims) list(name string) []string {
	var values []string
	if json.Unmarshal(c[name], &values) != nil {
		if one := c.text(name); one != "" {
			return []string{one}
		}
		return nil
	}
	return values
}

// truth returns a boolean claim, which some providers send as text; nil when it is neither.
func (c claims) truth(name string) *bool {
	var value bool
	if json.Unmarshal(c[name], &value) == nil && len(c[name]) > 0 && string(c[name]) != "null" {
		return &value
	}
	switch c.text(name) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}

func (c claims) identity(issuer, subject, groups string) auth.Identity {
	name := c.text("name")
	if name == "" {
		name = c.text("preferred_username")
	}
	return auth.Identity{
		Issuer: issuer, Subject: subject, Email: c.text("email"), Verified: c.truth("email_verified"), Name: name, Groups: c.list(groups),
	}
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// plain strips an error of the provider's response, which may contain a token.
func plain(what string, err error) error {
	if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return fmt.Errorf("%s: the provider answered %q", what, clip(answer.ErrorCode))
	}
	if shown, ok := errors.AsType[*problem.Error](err); ok {
		return shown
	}
	return fmt.Errorf("%s: %w", what, err)
}

func clip(text string) string {
	if len(text) > 100 {
		return text[:100]
	}
	return text
}
