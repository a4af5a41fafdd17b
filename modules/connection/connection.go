// Package connection manages the connections to language models: the address of a provider, its models, and the API
// key, encrypted with the row's id as associated data.
//
// Keys are write-only: answers report only whether there is one, and a connection whose address moves to another
// server loses its key, so that nobody can redirect it. Values of extra headers are treated alike; extra members of
// requests are shown to those who manage connections. The server creates the provider's client (OpenKey); the browser
// sees names and models. The demo model is a built-in connection that the product serves itself at an address known to
// the running process only. Model ids from requests are checked against the connection's list by ResolveModel.
package connection

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/rest"
	"countersign/tool/spend"
)

// Kinds of connections.
const (
	OpenAICompatible = "openai-compatible"
	Demo             = "demo"
)

// Connection is a model provider that turns can use.
type Connection struct {
	ID      uuid.UUID `json:"id"`
	Name    string    `json:"name"`
	Kind    string    `json:"kind" enum:"openai-compatible,demo"`
	BaseURL string    `json:"baseUrl" doc:"Ends before /chat/completions; empty for the demo model"`
	HasKey  bool      `json:"hasKey" doc:"Whether an API key is stored. The key itself is never shown."`
	// DefaultModel is used unless a turn requests one of AvailableModels; an empty list allows any model.
	DefaultModel    string   `json:"defaultModel"`
	AvailableModels []string `json:"availableModels" nullable:"false" doc:"Models that may be chosen beside the default; any when empty"`
	// ContextWindowTokens is nil when not declared.
	ContextWindowTokens *int `json:"contextWindowTokens,omitempty"`
	// AskedWindowTokens is the context window of the default model that the server reported at the last test.
	AskedWindowTokens *int `json:"askedWindowTokens,omitempty" doc:"What the server said of the default model's window when the connection was tested; used where none is declared"`
	// Truncation is nil when no truncation was detected.
	Truncation *Truncation `json:"cut,omitempty" doc:"The server seems to leave out the beginning of long conversations"`
	// ModelFamily is declared by the operator, never derived from a model id.
	ModelFamily string `json:"modelFamily" enum:"generic,anthropic,openai"`
	// SpendCap is nil for no cap.
	SpendCap *SpendCap `json:"spendCap,omitempty"`
	// UnattendedSpendCap is the cap for background calls. When nil, SpendCap applies to them.
	UnattendedSpendCap *SpendCap `json:"unattendedSpendCap,omitempty" doc:"Of applications and automations, counted apart; without it the spend cap counts them too"`
	// Price is nil when not declared.
	Price                    *Price `json:"price,omitempty" doc:"What tokens cost, which is shown beside them; left out when nobody has said"`
	DisableTopicalClassifier bool   `json:"disableTopicalClassifier"`
	// SmallCallSeconds is nil for a timeout that follows from the model.
	SmallCallSeconds *int `json:"smallCallSeconds,omitempty" doc:"How long a topic check, a title or a summary may take; left out when what the model is like decides"`
	// ExtraHeaderNames are the headers sent with every request.
	ExtraHeaderNames []string    `json:"extraHeaderNames" nullable:"false" doc:"Headers that are sent with every request to the provider; their values are never shown"`
	ExtraBody        rest.Object `json:"extraBody,omitempty" doc:"Members that are added to every chat request; shown to those who manage connections"`
	ReasoningEffort  string      `json:"reasoningEffort,omitempty" enum:"none,minimal,low,medium,high,xhigh" doc:"Left out when the provider decides"`
	Streaming        string      `json:"streaming" enum:"auto,on,off" doc:"auto: as the model takes it, which its refusals teach"`
	TextCalls        string      `json:"textCalls" enum:"auto,on,off" doc:"Whether tool calls that stand in the text of an answer are made; auto: those of a model that writes them there also after a correction"`
	// FirstTokenSeconds and MaxTools are nil when not set.
	FirstTokenSeconds *int `json:"firstTokenSeconds,omitempty" doc:"How long to wait for the first word of an answer; left out when the model's speed decides"`
	MaxTools          *int `json:"maxTools,omitempty" doc:"How many tools one request offers at most; 128 when left out. The others are found by a search."`
	Enabled           bool `json:"enabled"`
	// IsDefault marks the default of new chats.
	IsDefault bool `json:"isDefault" doc:"New chats begin with it: the one that was chosen, else the oldest enabled one that is not the demo model"`
	// UnconfirmedChangesBy is empty once an administrator has confirmed the connection.
	UnconfirmedChangesBy []string `json:"unconfirmedChangesBy" nullable:"false" doc:"Less-privileged users and applications that changed the connection since an administrator confirmed it. While it is not empty, auto mode asks about each change in conversations of users with more rights."`
	// LearnedQuirks are derived from refusals of the provider.
	LearnedQuirks []LearnedQuirk `json:"lessons" nullable:"false" doc:"How the provider wants to be asked, as its refusals have taught"`
	// LearnedFigures are derived from calls and refusals.
	LearnedFigures []LearnedFigures `json:"figures" nullable:"false" doc:"What calls have shown of the models: their limits and how fast they are"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`

	sealedKey     []byte
	sealedHeaders []byte
	askedWindows  map[string]int
	// providerRevision is the revision since which requests go to the same server in the same way; a trigger notes it.
	providerRevision int64
}

// ProviderRevision is the revision of the last change of the address, the key, headers or members: what the server has refused
// since is refused still.
func (c Connection) ProviderRevision() int64 { return c.providerRevision }

// Truncation is a request of which the server counted far fewer tokens than it held.
type Truncation struct {
	SentTokens int       `json:"sentTokens" doc:"About how many tokens were sent"`
	ReadTokens int       `json:"readTokens" doc:"How many the server has counted"`
	NoticedAt  time.Time `json:"noticedAt"`
}

// WindowOf returns the context window of a model in tokens: the declared one, else the server's, else 0; or a smaller
// one that a refusal has revealed.
func (c Connection) WindowOf(model string) int {
	window := c.askedWindows[model]
	if c.ContextWindowTokens != nil {
		window = *c.ContextWindowTokens
	}
	if learned := c.FiguresOf(model).WindowTokens; learned > 0 && (window == 0 || learned < window) {
		window = learned
	}
	return window
}

// SpendCap bounds the tokens of one principal on one connection in a trailing window.
type SpendCap struct {
	TokenBudget   int64 `json:"tokenBudget" minimum:"1" maximum:"1000000000000"`
	WindowMinutes int   `json:"windowMinutes" minimum:"1" maximum:"525600"`
}

// Cap returns the spend cap that the ledger enforces.
func (c Connection) Cap() spend.Cap {
	limit := c.SpendCap.limit()
	if c.UnattendedSpendCap != nil {
		limit.Unattended = new(c.UnattendedSpendCap.limit())
	}
	return limit
}

func (s *SpendCap) limit() spend.Cap {
	if s == nil {
		return spend.Cap{}
	}
	return spend.Cap{Tokens: s.TokenBudget, Window: time.Duration(s.WindowMinutes) * time.Minute}
}

// Sender identifies the answering provider. Data that answers carry for later requests returns to the same sender
// only, even if the connection's address changes.
func (c Connection) Sender() string {
	if c.Kind == Demo {
		return c.ID.String()
	}
	address := sha256.Sum256([]byte(c.BaseURL))
	return fmt.Sprintf("%s/%x", c.ID, address[:8])
}

// Models lists the models that a person can choose, the default first.
func (c Connection) Models() []string {
	models := []string{c.DefaultModel}
	for _, m := range c.AvailableModels {
		if !slices.Contains(models, m) {
			models = append(models, m)
		}
	}
	return models
}

// ResolveModel returns the requested model if the connection allows it, else the default. An empty list of available
// models allows any.
func ResolveModel(c Connection, requested string) string {
	if requested == "" || len(c.AvailableModels) > 0 && !slices.Contains(c.Models(), requested) {
		return c.DefaultModel
	}
	return requested
}
