// Package signin is an OAuth client for MCP servers: it discovers the authorization server (RFC 9728, RFC 8414),
// registers the product there (RFC 7591), builds the authorization address (PKCE, RFC 8707), and requests, renews and
// revokes tokens.
//
// modelcontextprotocol/go-sdk reads metadata and registrations, golang.org/x/oauth2 tokens. This package adds the
// SSRF guard, limits on size and time, and errors without tokens, codes or secrets. It stores nothing.
package signin

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	// requestTimeout bounds one request, lookTimeout all requests of the discovery.
	requestTimeout   = 10 * time.Second
	discoveryTimeout = 20 * time.Second
	// maxAnswers bounds all responses of one exchange, in bytes.
	maxAnswers = 512 << 10
	// maxText bounds a stored address, id or name, and maxToken a token or a secret, in bytes.
	maxText  = 2_000
	maxToken = 16 << 10
	// maxTokenLifetime bounds the lifetime of a token.
	maxTokenLifetime = 366 * 24 * time.Hour
)

// Options configure New.
type Options struct {
	// Permit checks an address with the SSRF guard; the error is a *problem.Error.
	Permit func(ctx context.Context, address string) error
	// HTTP creates a client that dials checked addresses only and follows no redirect.
	HTTP func(timeout time.Duration) *http.Client
	// Name is the product's client name.
	Name string
}

// Client signs in at MCP servers. It is safe for concurrent use.
type Client struct{ o Options }

// New makes a Client.
func New(o Options) *Client { return &Client{o} }

// Request describes a sign-in to begin.
type Request struct {
	// Address is the address of the MCP server.
	Address string
	// Issuer is the only permitted authorization server, "" for the first that the MCP server names.
	Issuer string
	// ClientID is a client that an administrator registered; Confidential reports that it has a secret. Without one
	// the product registers itself.
	ClientID     string
	Confidential bool
	// Scopes replace those that the MCP server names; separated by spaces.
	Scopes string
	// Redirect is the exact redirect address.
	Redirect string
	// Known is an earlier registration, reused where it fits.
	Known *Registration
	// Now is the database time.
	Now time.Time
}

// Registration is a client that the product registered itself. It holds a secret.
type Registration struct {
	Issuer   string `json:"issuer"`
	Redirect string `json:"redirect"`
	ClientID string `json:"clientId"`
	Secret   string `json:"secret,omitempty"`
	// Method is the client authentication method (RFC 7591).
	Method string `json:"method"`
	// Ends is when the secret expires, zero for never.
	Ends time.Time `json:"ends,omitzero"`
}

// Flow is a sign-in in progress. It holds secrets.
type Flow struct {
	Connection

	Redirect string `json:"redirect"`
	Verifier string `json:"verifier"`
	// NamesIssuer reports that this authorization server puts its issuer into answers (RFC 9207).
	NamesIssuer bool `json:"namesIssuer"`
}

// Connection holds the tokens of a sign-in and the data to use and renew them. It holds secrets.
type Connection struct {
	// Address is the address of the MCP server. The access token is for Resource and is sent to Address only.
	Address    string `json:"address"`
	Resource   string `json:"resource"`
	Issuer     string `json:"issuer"`
	Token      string `json:"token"`
	Revocation string `json:"revocation,omitempty"`
	ClientID   string `json:"clientId"`
	// Secret is the secret of a self-registered client. The vault keeps that of an administrator's client.
	Secret string `json:"secret,omitempty"`
	Method string `json:"method"`
	Scopes string `json:"scopes,omitempty"`

	Access  string `json:"access,omitempty"`
	Refresh string `json:"refresh,omitempty"`
}

// Tokens is the answer of a token endpoint.
type Tokens struct {
	Access string
	// Refresh is "" when the refresh token is unchanged or absent.
	Refresh string
	// Lifetime is the lifetime of the access token, nil when unknown.
	Lifetime *time.Duration
}

// ErrRefused is a permanent refusal of an authorization server: no retry helps, an administrator has to sign in.
var ErrRefused = errors.New("the authorization server refuses")

// ServerError is a failure of the servers; its text is the end of a sentence.
type ServerError struct{ Reason string }

func (e *ServerError) Error() string { return e.Reason }
