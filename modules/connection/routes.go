package connection

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/rest"
)

// Integration is a connection as chat users see it.
type Integration struct {
	ConnectionID    uuid.UUID `json:"connectionId"`
	Name            string    `json:"name"`
	Kind            string    `json:"kind" enum:"openai-compatible,demo"`
	DefaultModel    string    `json:"defaultModel"`
	AvailableModels []string  `json:"availableModels" nullable:"false" doc:"Models that may be chosen beside the default"`
	// Spend is the caller's usage; nil without a cap.
	Spend *Spend `json:"spend,omitempty" doc:"What the caller has used of the connection's spend cap"`
}

// path is the address of connections.
const path = "/api/ai/connections"

// Routes declares the operations of this package.
func (m *Module) Routes(api huma.API) {
	read, manage := rest.Rules(Read), rest.Rules(Manage)
	huma.Register(
		api,
		rest.Op("list-integrations", http.MethodGet, "/api/ai/integrations", "List the models to chat with", rest.Rules(ChatRead),
			rest.Doc("The default of a new chat comes first.")),
		m.listIntegrations,
	)
	huma.Register(api, rest.Op("list-connections", http.MethodGet, path, "List model connections", read), m.listConnections)
	huma.Register(api, rest.Op("get-connection", http.MethodGet, path+"/{id}", "Get a model connection", read), rest.Get(m.shown))
	huma.Register(api, rest.Op("create-connection", http.MethodPost, path, "Create a model connection",
		rest.Tool("ai.createConnection", rest.Mutates, rest.Secrets("apiKey", "extraHeaders"), rest.WithLoosening(m.createLoosening)),
		manage), rest.Create(m.Create))
	huma.Register(api, rest.Op("update-connection", http.MethodPatch, path+"/{id}", "Change a model connection",
		rest.Tool("ai.updateConnection", rest.Mutates, rest.Secrets("apiKey", "extraHeaders"), rest.WithLoosening(m.updateLoosening)), manage,
		rest.Doc("Absent fields stay, null clears.")), rest.Change(m.Update))
	huma.Register(api, rest.Op("set-default-connection", http.MethodPut, path+"/{id}/default", "Make a model connection the default",
		rest.Tool(setDefaultTool, rest.Mutates, rest.AtRevision()), manage, rest.Status(http.StatusOK),
		rest.Doc("New chats begin with it from now on, in place of the one before.")), m.onChosen(m.SetDefault))
	huma.Register(api, rest.Op("confirm-connection", http.MethodPut, path+"/{id}/confirmed", "Confirm a model connection as it is",
		rest.Tool(confirmTool, rest.Mutates, rest.ByHand(), rest.AtRevision()), manage, rest.Status(http.StatusOK),
		rest.Doc("For administrators, by hand, of the revision in If-Match, which is required (428). Answers over a connection "+
			"that less-privileged users or applications have changed taint the conversations of others until then.")),
		m.onChosen(m.Confirm))
	huma.Register(api, rest.Op("delete-connection", http.MethodDelete, path+"/{id}", "Delete a model connection",
		rest.Tool("ai.deleteConnection", rest.Destroys, rest.WithLoosening(m.deleteLoosening)), manage),
		rest.Delete(m.Delete))
	huma.Register(api, rest.Op("list-spend", http.MethodGet, "/api/ai/spend", "List what principals have used of connections", manage,
		rest.Doc("The tokens of each principal on each connection within the connection's window, the most first.")), m.listSpend)
	// A test changes no setting, and holds no transaction open while a provider answers.
	huma.Register(api, rest.Op(
		"test-connection",
		http.MethodPost,
		path+"/{id}/test",
		"Test a model connection",
		rest.Tool("ai.testConnection", rest.Mutates, rest.Direct(), rest.Titled("Test model connections")),
		manage,
		rest.SelfIdempotent(),
		rest.Status(http.StatusOK),
		rest.Doc(
			"Makes a few short calls of the default model, offers it a tool and asks its server for models and window. Each "+
				"finding is ok, not or unknown; when the model does not answer, the message is the provider's own. The window "+
				"that the server tells is used where none is declared.",
		),
	),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[TestResult], error) {
			return rest.With(m.Test(ctx, in.ID))
		})
	// The same holds for the list of models.
	huma.Register(api, rest.Op("ask-provider-models", http.MethodPost, "/api/ai/provider-models", "Ask a provider for its models",
		rest.Tool("ai.testConnection", rest.Mutates, rest.Direct(), rest.Titled("Test model connections")), manage,
		rest.SelfIdempotent(), rest.Status(http.StatusOK),
		rest.Doc("Asks the server of a connection, or one that is not saved yet, for its list of models. "+
			"A key in the request is used for this one question and not kept; without one the stored key is used, "+
			"towards the server that it is stored for. A failure of the provider is an outcome; what it answered is not quoted.")),
		func(ctx context.Context, in *rest.Creation[ModelsQuestion]) (*rest.Body[ModelsAnswer], error) {
			return rest.With(m.AskModels(ctx, in.Body))
		})
}

type integrationList struct {
	Body struct {
		Integrations []Integration `json:"integrations" nullable:"false"`
	}
}

func (m *Module) listIntegrations(ctx context.Context, _ *struct{}) (*integrationList, error) {
	connections, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &integrationList{}
	out.Body.Integrations = []Integration{}
	for _, c := range connections {
		if !c.Enabled {
			continue
		}
		used, err := m.ownSpend(ctx, c)
		if err != nil {
			return nil, err
		}
		out.Body.Integrations = append(out.Body.Integrations, Integration{
			ConnectionID: c.ID, Name: c.Name, Kind: c.Kind, DefaultModel: c.DefaultModel, AvailableModels: c.AvailableModels, Spend: used,
		})
	}
	return out, nil
}

type connectionList struct {
	Body struct {
		Connections []Connection `json:"connections" nullable:"false"`
	}
}

func (m *Module) listConnections(ctx context.Context, _ *struct{}) (*connectionList, error) {
	connections, err := m.List(ctx)
	for i := range connections {
		connections[i] = connections[i].shownTo(principal.FromContext(ctx))
	}
	out := &connectionList{}
	out.Body.Connections = connections
	return out, err
}

// shown is Get for a reader.
func (m *Module) shown(ctx context.Context, id uuid.UUID) (Connection, error) {
	c, err := m.Get(ctx, id)
	return c.shownTo(principal.FromContext(ctx)), err
}

// shownTo leaves out the extra members of requests unless p manages connections: some gateways take keys in them.
func (c Connection) shownTo(p principal.Principal) Connection {
	if !p.Has(Manage) {
		c.ExtraBody = nil
	}
	return c
}
