// Package connection manages the connections to language models: where a provider is, which models it offers, and the
// API key, sealed with the row's id so that it opens nowhere else.
//
// A key goes in and never comes out: answers say only whether there is one, and a connection whose address moves to
// another server loses it, so that nobody can have a key sent to a place of their own. The provider's client is made
// on the server (OpenKey); the browser sees names and models. One connection is always there, the demo model, which
// the product serves itself and whose address only the running process knows. Model ids that come over the wire are
// never passed on as they are: ResolveModel holds them to the connection's list.
package connection

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/rest"
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
	// DefaultModel is used unless a turn asks for one of AvailableModels; when that list is empty, for any model.
	DefaultModel    string   `json:"defaultModel"`
	AvailableModels []string `json:"availableModels" nullable:"false" doc:"Models that may be chosen beside the default; any when empty"`
	// ContextWindowTokens is nil when the operator has not said.
	ContextWindowTokens *int `json:"contextWindowTokens,omitempty"`
	// AskedWindowTokens is what the server said of the default model when it was last tested.
	AskedWindowTokens *int `json:"askedWindowTokens,omitempty" doc:"What the server said of the default model's window when the connection was tested; used where none is declared"`
	// Cut is nil when nothing was noticed.
	Cut *Cut `json:"cut,omitempty" doc:"The server seems to leave out the beginning of long conversations"`
	// ModelFamily is declared by the operator, never guessed from a model id.
	ModelFamily string `json:"modelFamily" enum:"generic,anthropic,openai"`
	// SpendCap is nil for no cap.
	SpendCap *SpendCap `json:"spendCap,omitempty"`
	// UnattendedSpendCap is that of calls nobody waits for. When it is nil, SpendCap is for them too.
	UnattendedSpendCap *SpendCap `json:"unattendedSpendCap,omitempty" doc:"Of applications and automations, counted apart; without it the spend cap counts them too"`
	// Price is nil when nobody has said what tokens cost.
	Price                    *Price `json:"price,omitempty" doc:"What tokens cost, which is shown beside them; left out when nobody has said"`
	DisableTopicalClassifier bool   `json:"disableTopicalClassifier"`
	// SmallCallSeconds is nil when what the model is like decides.
	SmallCallSeconds *int `json:"smallCallSeconds,omitempty" doc:"How long a topic check, a title or a summary may take; left out when what the model is like decides"`
	Enabled          bool `json:"enabled"`
	// IsDefault says that new chats begin with it.
	IsDefault bool `json:"isDefault" doc:"New chats begin with it: the one that was chosen, else the oldest enabled one that is not the demo model"`
	// UnconfirmedChangesBy is empty once an administrator has confirmed the connection.
	UnconfirmedChangesBy []string `json:"unconfirmedChangesBy" nullable:"false" doc:"Less-privileged users and applications that changed the connection since an administrator confirmed it. While it is not empty, auto mode asks about each change in conversations of users with more rights."`
	// Lessons are what refusals of the provider have taught.
	Lessons []Lesson `json:"lessons" nullable:"false" doc:"How the provider wants to be asked, as its refusals have taught"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`

	sealedKey    []byte
	askedWindows map[string]int
}

// Cut is a request of which a server has counted far fewer tokens than it held.
type Cut struct {
	SentTokens int       `json:"sentTokens" doc:"About how many tokens were sent"`
	ReadTokens int       `json:"readTokens" doc:"How many the server has counted"`
	NoticedAt  time.Time `json:"noticedAt"`
}

// WindowOf is the window of a model in tokens: the one that is declared, else what the server has said, else 0.
func (c Connection) WindowOf(model string) int {
	if c.ContextWindowTokens != nil {
		return *c.ContextWindowTokens
	}
	return c.askedWindows[model]
}

// SpendCap bounds the tokens of one principal on one connection in a trailing window.
type SpendCap struct {
	TokenBudget   int64 `json:"tokenBudget" minimum:"1" maximum:"1000000000000"`
	WindowMinutes int   `json:"windowMinutes" minimum:"1" maximum:"525600"`
}

// Cap is what the ledger holds calls on this connection to.
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

// Sender names who answers on the connection. What an answer wants back goes to nobody else, also when the connection leads
// elsewhere by now.
func (c Connection) Sender() string {
	if c.Kind == Demo {
		return c.ID.String()
	}
	address := sha256.Sum256([]byte(c.BaseURL))
	return fmt.Sprintf("%s/%x", c.ID, address[:8])
}

// Models are the models that a person can choose, the default first.
func (c Connection) Models() []string {
	models := []string{c.DefaultModel}
	for _, m := range c.AvailableModels {
		if !slices.Contains(models, m) {
			models = append(models, m)
		}
	}
	return models
}

// ResolveModel is the model to call when this one was requested: the requested one if the connection allows it, else
// the default. An empty list of available models allows any.
func ResolveModel(c Connection, requested string) string {
	if requested == "" || len(c.AvailableModels) > 0 && !slices.Contains(c.Models(), requested) {
		return c.DefaultModel
	}
	return requested
}
