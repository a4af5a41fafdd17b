// Package signin is an OAuth client for MCP servers: it finds out where one lets programs sign in (RFC 9728, RFC 8414), registers the
// product there (RFC 7591), makes the address to which a browser is sent (PKCE, RFC 8707), and gets, renews and gives back tokens.
//
// Metadata and registration are read by modelcontextprotocol/go-sdk, tokens by golang.org/x/oauth2. What is ours is the
// way there: each request goes to an address that was checked and no further, what comes back is bounded and takes a
// bounded time, and no error holds a token, a code or a secret. It keeps nothing.
package signin

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	// requestTimeout bounds one request, lookTimeout all requests before a browser can be sent somewhere.
	requestTimeout = 10 * time.Second
	lookTimeout    = 20 * time.Second
	// maxAnswers bounds everything that comes back in one exchange, in bytes.
	maxAnswers = 512 << 10
	// maxText bounds an address, an id or a name that is kept, and maxToken a token or a secret, in bytes.
	maxText  = 2_000
	maxToken = 16 << 10
	// longest is what a token is believed to last at most.
	longest = 366 * 24 * time.Hour
)

// Options of a Client.
type Options struct {
	// Permit says whether an address may be asked at this moment; the error is a *problem.Error.
	Permit func(ctx context.Context, address string) error
	// HTTP makes a client that dials checked addresses alone and follows no redirect.
	HTTP func(timeout time.Duration) *http.Client
	// Name is what the product calls itself.
	Name string
}

// Client signs in at MCP servers. It is safe for concurrent use.
type Client struct{ o Options }

// New makes a client.
func New(o Options) *Client { return &Client{o} }

// Wanted is where somebody wants to sign in.
type Wanted struct {
	// Address is that of the MCP server.
	Address string
	// Issuer is the only authorization server that will do, "" for the one that the MCP server names first.
	Issuer string
	// ClientID is a client that an administrator has registered; Confidential says that it has a secret. Without one
	// the product registers itself.
	ClientID     string
	Confidential bool
	// Scopes are asked for instead of those that the MCP server names, with spaces between.
	Scopes string
	// Redirect is where the browser comes back to, to the letter.
	Redirect string
	// Known is what was registered before, used again where it fits.
	Known *Registration
	// Now is the time of the database.
	Now time.Time
}

// Registration is a client that the product has registered by itself. It holds a secret.
type Registration struct {
	Issuer   string `json:"issuer"`
	Redirect string `json:"redirect"`
	ClientID string `json:"clientId"`
	Secret   string `json:"secret,omitempty"`
	// Method is how the client names itself at the token endpoint, in the words of RFC 7591.
	Method string `json:"method"`
	// Ends is when the secret ends, zero for never.
	Ends time.Time `json:"ends,omitzero"`
}

// Flow is a sign-in that has begun. It holds secrets.
type Flow struct {
	Connection

	Redirect string `json:"redirect"`
	Verifier string `json:"verifier"`
	// NamesIssuer says that answers of this authorization server name it (RFC 9207).
	NamesIssuer bool `json:"namesIssuer"`
}

// Connection is what is needed to use and to renew what a server has given. It holds secrets.
type Connection struct {
	// Address is that of the MCP server. The access token is for Resource, and is sent to Address alone.
	Address    string `json:"address"`
	Resource   string `json:"resource"`
	Issuer     string `json:"issuer"`
	Token      string `json:"token"`
	Revocation string `json:"revocation,omitempty"`
	ClientID   string `json:"clientId"`
	// Secret is that of a client that has registered itself. That of an administrator's is kept by the vault.
	Secret string `json:"secret,omitempty"`
	Method string `json:"method"`
	Scopes string `json:"scopes,omitempty"`

	Access  string `json:"access,omitempty"`
	Refresh string `json:"refresh,omitempty"`
}

// Tokens are what a token endpoint has given.
type Tokens struct {
	Access string
	// Refresh is "" when the one before stays, or when there is none.
	Refresh string
	// Lasts is for how long the access token is good, nil when that is not said.
	Lasts *time.Duration
}

// ErrRefused is that an authorization server has refused for good: asking again is no use, somebody has to sign in.
var ErrRefused = errors.New("the authorization server refuses")

// ServerError is that the servers did not answer as they should; its text is the end of a sentence.
type ServerError struct{ Reason string }

func (e *ServerError) Error() string { return e.Reason }
