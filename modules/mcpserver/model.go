package mcpserver

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/rest"
	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/tool"
)

// Limits. Text lengths are in characters, others in bytes.
const (
	MaxServers = 200
	// MaxTools is the number of stored tools per server.
	MaxTools  = 128
	MaxName   = 120
	MaxSlug   = 40
	maxHeader = 60
	// MaxDefinition bounds the definition of one tool.
	MaxDefinition = 32 << 10
	// maxListed and maxPages bound the listing of tools, maxAnswer all bytes that a server sends in one exchange.
	maxListed = 512
	maxPages  = 32
	maxAnswer = 4 << 20
	// maxResult bounds the texts of a result, and separately its structured part.
	maxResult = 256 << 10
)

const (
	// listTimeout bounds listing a server's tools, callTimeout the listing and the call.
	listTimeout = 15 * time.Second
	callTimeout = 40 * time.Second
	quotaRetry  = 5 * time.Second
)

// Auth is the authentication method of a server.
type Auth string

// The methods. A bearer token is sent in the header Authorization; header sends the secret in a header of its own.
// With oauth an administrator signs in at the server, once for all users.
const (
	NoAuth Auth = "none"
	Bearer Auth = "bearer"
	Header Auth = "header"
	OAuth  Auth = "oauth"
)

// SignInState is the state of a sign-in at a server.
type SignInState string

const (
	SignedOut   SignInState = "out"
	SignedIn    SignInState = "in"
	SignInAgain SignInState = "again"
)

// SignIn describes the OAuth sign-in at a server.
type SignIn struct {
	State    SignInState `json:"state" enum:"out,in,again" doc:"again: the server's authorization server has refused to renew the sign-in; an administrator has to sign in again."`
	Redirect string      `json:"redirect" doc:"The redirect address. A client that is registered by hand needs exactly this one."`
	Issuer   string      `json:"issuer,omitempty" doc:"The authorization server of the sign-in."`
	Since    *time.Time  `json:"since,omitempty" doc:"The time of the last sign-in."`
	Reason   string      `json:"reason,omitempty" doc:"Why an administrator has to sign in again."`
}

// SignInStart is the address to which the browser goes to sign in.
type SignInStart struct {
	Address string `json:"address" doc:"Of the authorization server. Valid for ten minutes, once, and for the person who requested it."`
}

// SignInAnswer is the answer that the browser returns with.
type SignInAnswer struct {
	Server string `json:"server" maxLength:"40" doc:"The slug of the server, which stands in the path of the redirect address."`
	Query  string `json:"query" maxLength:"40000" doc:"The query that the browser returned with, unchanged."`
}

// SignedOff is the result of ending a sign-in.
type SignedOff struct {
	Ended   bool `json:"ended" doc:"Whether this call has ended it; false when there was no sign-in."`
	Revoked bool `json:"revoked" doc:"Whether the authorization server has revoked the tokens. Not every one can."`
}

// Server is an external MCP server.
type Server struct {
	ID             uuid.UUID    `json:"id"`
	Slug           string       `json:"slug" doc:"Its tools are called by it; chosen once."`
	Name           string       `json:"name"`
	Address        string       `json:"address"`
	Auth           Auth         `json:"auth" enum:"none,bearer,header,oauth"`
	Header         string       `json:"header,omitempty" doc:"The header that the secret is sent in, where auth is header."`
	Secret         string       `json:"secret,omitempty" doc:"The name of the secret that is sent; where auth is oauth, that of the client, which goes to the authorization server alone. Its value is in no answer."`
	ClientID       string       `json:"clientId,omitempty" doc:"Where auth is oauth: the client that an administrator has registered. Absent when Countersign registers itself."`
	Issuer         string       `json:"issuer,omitempty" doc:"Where auth is oauth: the only authorization server that is asked."`
	Scopes         string       `json:"scopes,omitempty" doc:"Where auth is oauth: what is asked for, instead of what the server names."`
	SignIn         *SignIn      `json:"signIn,omitempty" doc:"Where auth is oauth."`
	Enabled        bool         `json:"enabled"`
	Private        bool         `json:"private" doc:"Closed to everybody without a grant, whatever their roles. Its grants say so and change it."`
	Access         access.Level `json:"access" enum:"viewer,editor,owner" doc:"What the caller may do with it, where their roles let them see or manage servers."`
	Implementation string       `json:"implementation,omitempty" doc:"Its name for itself at the last refresh."`
	Protocol       string       `json:"protocol,omitempty" doc:"The protocol revision at the last refresh."`
	RefreshedAt    *time.Time   `json:"refreshedAt,omitempty" doc:"The time of the last successful refresh."`
	RefreshError   string       `json:"refreshError,omitempty" doc:"Why the last refresh failed."`
	LeftOut        []LeftOut    `json:"leftOut" nullable:"false" doc:"Tools that cannot be accepted, with the reason."`
	Usable         int          `json:"usable" doc:"How many of its tools can be called."`
	Waiting        int          `json:"waiting" doc:"How many of its tools are new or have changed, and are off until an administrator accepts them."`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// LeftOut is a tool that cannot be accepted, with the reason.
type LeftOut = mcpserverdb.LeftOut

// NewServer is the input for adding a server.
type NewServer struct {
	Slug     string `json:"slug" minLength:"1" maxLength:"40" pattern:"^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$" doc:"Small letters, digits and hyphens; unique. It cannot be changed."`
	Name     string `json:"name" doc:"1 to 120 characters."`
	Address  string `json:"address" maxLength:"2000" doc:"Where it speaks streamable HTTP, such as https://mcp.example.com/mcp. http is possible towards targets that an operator has opened with COUNTERSIGN_EGRESS_ALLOW."`
	Auth     Auth   `json:"auth,omitempty" enum:"none,bearer,header,oauth" default:"none" doc:"With oauth an administrator signs in at the server, once for everybody."`
	Header   string `json:"header,omitempty" maxLength:"60" doc:"For auth header: the header that the secret is sent in."`
	Secret   string `json:"secret,omitempty" maxLength:"64" doc:"For auth bearer and header: the name of a secret of the vault. For oauth that of the client's secret, where it has one."`
	ClientID string `json:"clientId,omitempty" maxLength:"2000" doc:"For auth oauth: a client that was registered by hand. Without one Countersign registers itself."`
	Issuer   string `json:"issuer,omitempty" maxLength:"2000" doc:"For auth oauth: the only authorization server to ask. Needed beside a secret, which goes nowhere else."`
	Scopes   string `json:"scopes,omitempty" maxLength:"1000" doc:"For auth oauth: what to ask for, with spaces between, instead of what the server names."`
	Enabled  *bool  `json:"enabled,omitempty" doc:"True when absent."`
}

// ServerChange changes a server; nil fields stay.
type ServerChange struct {
	Name     *string `json:"name,omitempty" doc:"1 to 120 characters."`
	Address  *string `json:"address,omitempty" maxLength:"2000" doc:"Another address is another server: its tools have to be accepted again, and a secret has to be named again."`
	Auth     *Auth   `json:"auth,omitempty" enum:"none,bearer,header,oauth" doc:"none removes the secret. A changed sign-in setting ends the sign-in."`
	Header   *string `json:"header,omitempty" maxLength:"60"`
	Secret   *string `json:"secret,omitempty" maxLength:"64"`
	ClientID *string `json:"clientId,omitempty" maxLength:"2000"`
	Issuer   *string `json:"issuer,omitempty" maxLength:"2000"`
	Scopes   *string `json:"scopes,omitempty" maxLength:"1000"`
	Enabled  *bool   `json:"enabled,omitempty" doc:"The tools of one that is off are offered to nobody."`
}

// State is the acceptance state of a tool.
type State string

// The states. Only accepted tools are offered and called.
const (
	ToolAccepted State = "accepted"
	ToolNew      State = "new"
	ToolChanged  State = "changed"
	ToolGone     State = "gone"
)

// Tool is a tool of a server, as administrators see it.
type Tool struct {
	ID      string      `json:"id" doc:"The last part of the name that it is called by here."`
	Name    string      `json:"name" doc:"As the server calls it."`
	Tool    string      `json:"tool" doc:"The name that it is called by here: mcp.<slug>.<id>."`
	State   State       `json:"state" enum:"accepted,new,changed,gone" doc:"new: not accepted yet. changed: the definition differs from the accepted one. gone: the server no longer lists it. Only an accepted one can be called."`
	Effect  tool.Effect `json:"effect" enum:"read,mutate,destructive" doc:"The effect that an administrator assigned. A read runs, everything else is proposed."`
	Trusted bool        `json:"trusted" doc:"An administrator trusts it with the data that it receives: a read runs without a question also in a conversation with private or outside content, and a change may be applied in auto mode."`
	Enabled bool        `json:"enabled"`
	Hash    string      `json:"hash,omitempty" doc:"Of the current definition; accepting the tool needs it. Absent when the server no longer lists the tool."`
	// Definition is the server's current definition, Accepted the one that an administrator accepted.
	Definition *Definition   `json:"definition,omitempty" doc:"The current definition. It is untrusted text."`
	Accepted   *Definition   `json:"accepted,omitempty" doc:"The accepted definition, where it differs."`
	Diff       []tool.Change `json:"diff,omitempty" nullable:"false" doc:"The changes since the accepted definition."`
	AcceptedAt *time.Time    `json:"acceptedAt,omitempty"`
	SeenAt     time.Time     `json:"seenAt" doc:"When its definition last changed."`
}

// Definition is a server's definition of a tool: every part that can influence a client.
type Definition struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty" doc:"Hints of the server about its own tool. They have no effect here."`
}

// Choice is an administrator's decision about a tool.
type Choice struct {
	ID      string      `json:"id" minLength:"1" maxLength:"64"`
	Hash    string      `json:"hash" minLength:"64" maxLength:"64" doc:"Of the definition that was read. Refused when the definition has changed."`
	Effect  tool.Effect `json:"effect,omitempty" enum:"read,mutate,destructive" default:"mutate" doc:"mutate when absent: a tool that is not known to be a read needs a proposal."`
	Trusted bool        `json:"trusted,omitempty" doc:"Whether you trust it with the data that it receives."`
	Enabled *bool       `json:"enabled,omitempty" doc:"True when absent."`
}

// Choices are the decisions about tools of one server.
type Choices struct {
	Tools []Choice `json:"tools" minItems:"1" maxItems:"128" nullable:"false"`
}

// CallInput holds the arguments of a call.
type CallInput struct {
	Args json.RawMessage `json:"args" doc:"An object that fits the tool's schema."`
}

// Called is the result of a call. A failure of the tool is a result, too.
type Called struct {
	Server     string          `json:"server"`
	Tool       string          `json:"tool"`
	OK         bool            `json:"ok"`
	Text       string          `json:"text,omitempty"`
	Structured json.RawMessage `json:"structured,omitempty"`
	LeftOut    []string        `json:"left_out,omitempty" nullable:"false" doc:"Parts of the result that are no text."`
	Truncated  bool            `json:"truncated,omitempty" doc:"The result is longer than what is shown."`
}

// Origin implements tool.Originated.
func (c Called) Origin() string { return "the MCP server " + c.Server }
