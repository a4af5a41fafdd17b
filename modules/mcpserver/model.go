package mcpserver

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/rest"
	"countersign/tool"
)

// Limits. Lengths of texts count characters, others bytes.
const (
	MaxServers = 200
	// MaxTools is how many tools of one server are kept.
	MaxTools  = 128
	MaxName   = 120
	MaxSlug   = 40
	maxHeader = 60
	// MaxDefinition bounds what a server says of one tool.
	MaxDefinition = 32 << 10
	// maxListed and maxPages bound what is read of a list of tools, maxAnswer everything that a server sends in one exchange.
	maxListed = 512
	maxPages  = 32
	maxAnswer = 4 << 20
	// maxResult bounds the texts of a result, and the structured part beside them.
	maxResult = 256 << 10
)

const (
	// lookTimeout is how long a server may take to say what its tools are, callTimeout for that and a call.
	lookTimeout = 15 * time.Second
	callTimeout = 40 * time.Second
	retryPlace  = 5 * time.Second
)

// Auth is how a server is told who calls.
type Auth string

// The ways. A bearer token goes into the header Authorization, behind the word Bearer; a header is sent as the secret
// is. With oauth an administrator signs in at the server, for everybody.
const (
	NoAuth Auth = "none"
	Bearer Auth = "bearer"
	Header Auth = "header"
	OAuth  Auth = "oauth"
)

// SignInState is how it stands with a sign-in at a server.
type SignInState string

// The states.
const (
	SignedOut   SignInState = "out"
	SignedIn    SignInState = "in"
	SignInAgain SignInState = "again"
)

// SignIn is how it stands with the sign-in at a server by OAuth.
type SignIn struct {
	State    SignInState `json:"state" enum:"out,in,again" doc:"again: the server's authorization server has refused to renew the sign-in, so an administrator has to sign in again."`
	Redirect string      `json:"redirect" doc:"Where browsers come back to. A client that is registered by hand needs it, to the letter."`
	Issuer   string      `json:"issuer,omitempty" doc:"The authorization server at which somebody has signed in."`
	Since    *time.Time  `json:"since,omitempty" doc:"When somebody signed in last."`
	Reason   string      `json:"reason,omitempty" doc:"Why somebody has to sign in again."`
}

// SignInStart is where a browser goes to sign in.
type SignInStart struct {
	Address string `json:"address" doc:"Of the authorization server. It is good for ten minutes, once, and for the person who has asked for it."`
}

// SignInAnswer is what a browser has come back with.
type SignInAnswer struct {
	Server string `json:"server" maxLength:"40" doc:"The slug of the server, which stands in the path of the redirect address."`
	Query  string `json:"query" maxLength:"40000" doc:"The query that the browser came back with, as it is."`
}

// SignedOff is what became of a sign-in that somebody has ended.
type SignedOff struct {
	Ended   bool `json:"ended" doc:"Whether this call has ended it; false when nobody was signed in."`
	Revoked bool `json:"revoked" doc:"Whether the authorization server has taken the tokens back. It may have no place for that."`
}

// Server is an MCP server of others.
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
	Implementation string       `json:"implementation,omitempty" doc:"What it called itself when it was asked last."`
	Protocol       string       `json:"protocol,omitempty" doc:"The revision of the protocol that it spoke then."`
	RefreshedAt    *time.Time   `json:"refreshedAt,omitempty" doc:"When it last said what its tools are."`
	RefreshError   string       `json:"refreshError,omitempty" doc:"Why it did not say when it was asked last."`
	LeftOut        []LeftOut    `json:"leftOut" nullable:"false" doc:"Tools that it has and that cannot be taken, with the reason."`
	Usable         int          `json:"usable" doc:"How many of its tools can be called."`
	Waiting        int          `json:"waiting" doc:"How many of its tools are new or have changed, and are off until somebody accepts them."`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// LeftOut is a tool that cannot be taken.
type LeftOut = mcpserverdb.LeftOut

// NewServer is what a server is added by.
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

// ServerChange is what changes of a server; what is nil stays.
type ServerChange struct {
	Name     *string `json:"name,omitempty" doc:"1 to 120 characters."`
	Address  *string `json:"address,omitempty" maxLength:"2000" doc:"Another address is another server: its tools have to be accepted anew, and a secret has to be named again."`
	Auth     *Auth   `json:"auth,omitempty" enum:"none,bearer,header,oauth" doc:"none takes the secret away. What is another in how a sign-in is made ends the one that there is."`
	Header   *string `json:"header,omitempty" maxLength:"60"`
	Secret   *string `json:"secret,omitempty" maxLength:"64"`
	ClientID *string `json:"clientId,omitempty" maxLength:"2000"`
	Issuer   *string `json:"issuer,omitempty" maxLength:"2000"`
	Scopes   *string `json:"scopes,omitempty" maxLength:"1000"`
	Enabled  *bool   `json:"enabled,omitempty" doc:"The tools of one that is off are offered to nobody."`
}

// State is where a tool stands.
type State string

// The states. Only an accepted tool is offered and called.
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
	State   State       `json:"state" enum:"accepted,new,changed,gone" doc:"new: nobody has accepted it yet. changed: it says something else now than what was accepted. gone: the server has it no more. Only an accepted one can be called."`
	Effect  tool.Effect `json:"effect" enum:"read,mutate,destructive" doc:"What an administrator says that it does. A read runs, everything else is proposed."`
	Trusted bool        `json:"trusted" doc:"An administrator vouches for what becomes of what it is told: a read runs without a question also where a conversation holds something private or from outside, and a change may be applied in auto mode."`
	Enabled bool        `json:"enabled"`
	Hash    string      `json:"hash,omitempty" doc:"Of the definition that the server gave last. It is accepted by this. Absent when the server has the tool no more."`
	// Definition is what the server says of it now, Accepted what an administrator has accepted.
	Definition *Definition   `json:"definition,omitempty" doc:"What the server says of it now. It is text from outside."`
	Accepted   *Definition   `json:"accepted,omitempty" doc:"What was accepted, where that is something else."`
	Diff       []tool.Change `json:"diff,omitempty" nullable:"false" doc:"What is another in the definition than what was accepted."`
	AcceptedAt *time.Time    `json:"acceptedAt,omitempty"`
	SeenAt     time.Time     `json:"seenAt" doc:"When the server last said something new of it."`
}

// Definition is what a server says of a tool: everything that a client could be told to act by.
type Definition struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty" doc:"Hints of the server about its own tool. Nothing follows from them."`
}

// Choice is what an administrator decides about a tool.
type Choice struct {
	ID      string      `json:"id" minLength:"1" maxLength:"64"`
	Hash    string      `json:"hash" minLength:"64" maxLength:"64" doc:"Of the definition that was read. It is refused when the server says something else by now."`
	Effect  tool.Effect `json:"effect,omitempty" enum:"read,mutate,destructive" default:"mutate" doc:"mutate when absent: what is not known to be a read goes through a proposal."`
	Trusted bool        `json:"trusted,omitempty" doc:"Whether you vouch for what becomes of what it is told."`
	Enabled *bool       `json:"enabled,omitempty" doc:"True when absent."`
}

// Choices are what an administrator decides about tools of one server.
type Choices struct {
	Tools []Choice `json:"tools" minItems:"1" maxItems:"128" nullable:"false"`
}

// CallInput are the arguments of a call.
type CallInput struct {
	Args json.RawMessage `json:"args" doc:"An object that fits the tool's schema."`
}

// Called is how a call went. Whatever the tool did is an answer, also that it failed.
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
