package connection

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
	"countersign/model"
	"countersign/modules/connection/connectiondb"
	"countersign/tool/spend"
)

// Endpoint is the address of the process's demo model.
type Endpoint struct {
	BaseURL string
	APIKey  string
}

// Options are the dependencies of a Module.
type Options struct {
	DB     *store.DB
	Sealer secret.Sealer
	// Demo returns the current address of the demo model; called on each use.
	Demo func() Endpoint
	// Guard is the SSRF guard for the servers of connections. It is checked on saving and again on dialling.
	Guard egress.Own
	// Tester checks connections; NewTester by default.
	Tester Tester
	// Names resolves the principals in spend lists; nil leaves the names out.
	Names Names
	// Authors provides the authors of connections; nil leaves them out.
	Authors Authors
	// Removed is called for deleted connections.
	Removed access.OnRemoved
}

// Names resolves the names of principals. Deleted principals are missing in the answer.
type Names interface {
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Module provides the operations and access rules of model connections. Callers have checked the rule of the
// operation.
type Module struct {
	db       *store.DB
	sealer   secret.Sealer
	demo     func() Endpoint
	tester   Tester
	names    Names
	authors  Authors
	removed  access.OnRemoved
	ledger   *spend.Ledger
	own      egress.Own
	throttle *throttle.Throttle
	table    access.Table[*connectiondb.Queries, connectiondb.AiConnection]
}

var kind = access.Kind{Noun: "model connection", Plural: "connections", Read: Read, Manage: Manage}

// New creates the module.
func New(o Options) (*Module, error) {
	if o.DB == nil || o.Sealer == nil || o.Demo == nil {
		return nil, errors.New("connection: DB, Sealer and Demo are required")
	}
	if o.Tester == nil {
		o.Tester = NewTester(nil)
	}
	m := &Module{
		db: o.DB, sealer: o.Sealer, demo: o.Demo, tester: o.Tester, names: o.Names, authors: o.Authors,
		removed: o.Removed,
		ledger:  spend.New(o.DB), own: o.Guard, throttle: throttle.New(o.DB),
	}
	m.table = access.Table[*connectiondb.Queries, connectiondb.AiConnection]{
		Kind: kind, DB: o.DB, Queries: m.queries, Find: (*connectiondb.Queries).Connection, Lock: (*connectiondb.Queries).LockConnection,
		Head: func(r connectiondb.AiConnection) access.Head {
			return access.Head{ID: r.ID, Name: r.Name, Revision: r.Revision}
		},
	}
	return m, nil
}

func (m *Module) queries(ctx context.Context) *connectiondb.Queries {
	return connectiondb.New(m.db.Conn(ctx))
}

// NewConnection is an OpenAI-compatible connection to create.
type NewConnection struct {
	Name                     string    `json:"name" minLength:"1" maxLength:"200"`
	BaseURL                  string    `json:"baseUrl" maxLength:"2000" doc:"Ends before /chat/completions, such as https://api.openai.com/v1"`
	APIKey                   string    `json:"apiKey,omitempty" maxLength:"4096" writeOnly:"true" doc:"Leave it out for a server that needs none"`
	DefaultModel             string    `json:"defaultModel" minLength:"1" maxLength:"200"`
	AvailableModels          []string  `json:"availableModels,omitempty" maxItems:"500"`
	ContextWindowTokens      *int      `json:"contextWindowTokens,omitempty" minimum:"1024" maximum:"100000000"`
	ModelFamily              string    `json:"modelFamily,omitempty" enum:"generic,anthropic,openai" default:"generic"`
	SpendCap                 *SpendCap `json:"spendCap,omitempty"`
	UnattendedSpendCap       *SpendCap `json:"unattendedSpendCap,omitempty"`
	Price                    *Price    `json:"price,omitempty"`
	DisableTopicalClassifier bool      `json:"disableTopicalClassifier,omitempty"`
	SmallCallSeconds         *int      `json:"smallCallSeconds,omitempty" minimum:"1" maximum:"300" doc:"How long a topic check, a title or a summary may take"`
	// Enabled is true when nil.
	Enabled           *bool         `json:"enabled,omitempty" doc:"True when left out"`
	ExtraHeaders      []ExtraHeader `json:"extraHeaders,omitempty" maxItems:"20" writeOnly:"true" doc:"Sent with every request, such as those that a gateway wants"`
	ExtraBody         rest.Object   `json:"extraBody,omitempty" doc:"Members that are added to every chat request, such as {\"service_tier\":\"flex\"}; those that the product sets itself, such as messages, tools and stream, are refused. At most 8 KB."`
	ReasoningEffort   string        `json:"reasoningEffort,omitempty" enum:"none,minimal,low,medium,high,xhigh" doc:"Left out: the provider decides"`
	Streaming         string        `json:"streaming,omitempty" enum:"auto,on,off" default:"auto" doc:"auto: as the model takes it, which its refusals teach"`
	TextCalls         string        `json:"textCalls,omitempty" enum:"auto,on,off" default:"auto" doc:"Whether tool calls that stand in the text of an answer are made; auto: those of a model that writes them there also after a correction"`
	FirstTokenSeconds *int          `json:"firstTokenSeconds,omitempty" minimum:"1" maximum:"900" doc:"How long to wait for the first word of an answer"`
	MaxTools          *int          `json:"maxTools,omitempty" minimum:"8" maximum:"1000" doc:"How many tools one request offers at most; 128 when left out"`
	// IsDefault makes it the default of new chats. Only Bootstrap sets it; others call SetDefault.
	IsDefault bool `json:"-"`
}

// Change changes the fields that are not nil. An empty APIKey removes the key; a zero window or cap (null in a
// request) removes that limit.
type Change struct {
	Name                     *string   `json:"name,omitempty" minLength:"1" maxLength:"200"`
	BaseURL                  *string   `json:"baseUrl,omitempty" maxLength:"2000" doc:"An address on another server needs the key again"`
	APIKey                   *string   `json:"apiKey,omitempty" nullable:"true" maxLength:"4096" writeOnly:"true" doc:"null removes the key"`
	DefaultModel             *string   `json:"defaultModel,omitempty" minLength:"1" maxLength:"200"`
	AvailableModels          *[]string `json:"availableModels,omitempty" nullable:"true" maxItems:"500" doc:"null allows any model"`
	ContextWindowTokens      *int      `json:"contextWindowTokens,omitempty" nullable:"true" minimum:"1024" maximum:"100000000" doc:"null says that it is not known"`
	ModelFamily              *string   `json:"modelFamily,omitempty" enum:"generic,anthropic,openai"`
	SpendCap                 *SpendCap `json:"spendCap,omitempty" clears:"true" doc:"null removes the cap"`
	UnattendedSpendCap       *SpendCap `json:"unattendedSpendCap,omitempty" clears:"true" doc:"null removes the cap"`
	Price                    *Price    `json:"price,omitempty" clears:"true" doc:"null says that it is not known"`
	DisableTopicalClassifier *bool     `json:"disableTopicalClassifier,omitempty"`
	SmallCallSeconds         *int      `json:"smallCallSeconds,omitempty" nullable:"true" minimum:"1" maximum:"300" doc:"null leaves it to what the model is like"`
	Enabled                  *bool     `json:"enabled,omitempty"`

	ExtraHeaders      *[]ExtraHeader `json:"extraHeaders,omitempty" nullable:"true" maxItems:"20" writeOnly:"true" doc:"Replaces all of them; one without a value keeps the stored value, null removes them"`
	ExtraBody         *rest.Object   `json:"extraBody,omitempty" clears:"true" doc:"Replaces all members; null removes them"`
	ReasoningEffort   *string        `json:"reasoningEffort,omitempty" nullable:"true" enum:"none,minimal,low,medium,high,xhigh" doc:"null leaves it to the provider"`
	Streaming         *string        `json:"streaming,omitempty" enum:"auto,on,off"`
	TextCalls         *string        `json:"textCalls,omitempty" enum:"auto,on,off"`
	FirstTokenSeconds *int           `json:"firstTokenSeconds,omitempty" nullable:"true" minimum:"1" maximum:"900" doc:"null leaves it to the model's speed"`
	MaxTools          *int           `json:"maxTools,omitempty" nullable:"true" minimum:"8" maximum:"1000" doc:"null leaves it at 128"`
	// ResetLearnedQuirks clears the quirks, as does another address or default model.
	ResetLearnedQuirks *bool `json:"forgetLessons,omitempty" doc:"true forgets what the provider has taught"`
}

// List returns all connections: the default first, the demo model last.
func (m *Module) List(ctx context.Context) ([]Connection, error) {
	rows, err := m.queries(ctx).Connections(ctx)
	if err != nil {
		return nil, fmt.Errorf("list connections: %w", err)
	}
	connections := make([]Connection, 0, len(rows))
	for _, r := range rows {
		connections = append(connections, fromRow(r))
	}
	if i := slices.IndexFunc(connections, func(c Connection) bool { return c.Enabled }); i >= 0 {
		connections[i].IsDefault = true
	}
	shown := make([]*Connection, len(connections))
	for i := range connections {
		shown[i] = &connections[i]
	}
	return connections, m.addAuthors(ctx, shown...)
}

// Get returns one connection.
func (m *Module) Get(ctx context.Context, id uuid.UUID) (Connection, error) {
	row, err := m.table.See(ctx, id)
	if err != nil {
		return Connection{}, err
	}
	return m.connectionOf(ctx, row)
}

// connectionOf converts a row and determines whether it is the default.
func (m *Module) connectionOf(ctx context.Context, row connectiondb.AiConnection) (Connection, error) {
	c := fromRow(row)
	first, err := m.queries(ctx).DefaultConnection(ctx)
	if err != nil && !store.NoRows(err) {
		return Connection{}, fmt.Errorf("find default connection: %w", err)
	}
	c.IsDefault = err == nil && first.ID == c.ID
	return c, m.addAuthors(ctx, &c)
}

// Create adds a connection.
func (m *Module) Create(ctx context.Context, n NewConnection) (Connection, error) {
	v := validation{own: m.own}
	row := connectiondb.AiConnection{
		ID: store.NewID(), Kind: OpenAICompatible,
		Name: v.name("name", n.Name), BaseUrl: v.baseURL(n.BaseURL), DefaultModel: v.name("defaultModel", n.DefaultModel),
		AvailableModels: v.models("availableModels", n.AvailableModels), ModelFamily: v.family("modelFamily", n.ModelFamily),
		DisableTopicalClassifier: n.DisableTopicalClassifier, SmallCallSeconds: v.smallCalls("smallCallSeconds", n.SmallCallSeconds),
		Enabled: n.Enabled == nil || *n.Enabled, IsDefault: n.IsDefault,
	}
	setLimits(
		&row,
		v.window("contextWindowTokens", n.ContextWindowTokens),
		v.spendCap("spendCap", n.SpendCap),
		v.spendCap("unattendedSpendCap", n.UnattendedSpendCap),
	)
	setPrice(&row, v.price("price", n.Price))
	row.ExtraBody, row.ReasoningEffort = v.body("extraBody", n.ExtraBody), v.effort("reasoningEffort", n.ReasoningEffort)
	row.Streaming, row.TextCalls = v.automatic("streaming", n.Streaming), v.automatic("textCalls", n.TextCalls)
	row.FirstTokenSeconds = v.within("firstTokenSeconds", n.FirstTokenSeconds, 1, maxFirstToken)
	row.MaxTools = v.within("maxTools", n.MaxTools, leastTools, maxTools)
	headers := v.headers("extraHeaders", n.ExtraHeaders, nil)
	v.standard("isDefault", &row)
	key := v.key(n.APIKey)
	if err := v.Err(); err != nil {
		return Connection{}, err
	}
	if err := errors.Join(m.seal(&row, key), m.sealHeaders(&row, headers)); err != nil {
		return Connection{}, err
	}
	var made Connection
	err := m.db.InTx(ctx, func(ctx context.Context) error {
		if err := m.claimDefault(ctx, row.ID, row.IsDefault); err != nil {
			return err
		}
		inserted, err := m.insert(ctx, row)
		if err != nil {
			return err
		}
		if made, err = m.connectionOf(ctx, inserted); err != nil {
			return err
		}
		return m.record(ctx, audit.Created, inserted, "Model connection created", nil)
	})
	return made, err
}

// claimDefault moves the default. It runs before any row is locked, so that concurrent changes of the default cannot
// deadlock.
func (m *Module) claimDefault(ctx context.Context, id uuid.UUID, wanted bool) error {
	if !wanted {
		return nil
	}
	q := m.queries(ctx)
	if err := q.LockDefault(ctx); err != nil {
		return fmt.Errorf("lock default connection: %w", err)
	}
	if err := q.ClearDefault(ctx, id); err != nil {
		return fmt.Errorf("take default away: %w", err)
	}
	return nil
}

func (m *Module) insert(ctx context.Context, row connectiondb.AiConnection) (connectiondb.AiConnection, error) {
	made, err := m.queries(ctx).InsertConnection(ctx, connectiondb.InsertConnectionParams{
		ID:                       row.ID,
		Name:                     row.Name,
		Kind:                     row.Kind,
		BaseUrl:                  row.BaseUrl,
		ApiKeySealed:             row.ApiKeySealed,
		DefaultModel:             row.DefaultModel,
		AvailableModels:          row.AvailableModels,
		ContextWindowTokens:      row.ContextWindowTokens,
		ModelFamily:              row.ModelFamily,
		SpendTokenBudget:         row.SpendTokenBudget,
		SpendWindowMinutes:       row.SpendWindowMinutes,
		UnattendedTokenBudget:    row.UnattendedTokenBudget,
		UnattendedWindowMinutes:  row.UnattendedWindowMinutes,
		DisableTopicalClassifier: row.DisableTopicalClassifier,
		SmallCallSeconds:         row.SmallCallSeconds,
		Enabled:                  row.Enabled,
		IsDefault:                row.IsDefault,
		InputPrice:               row.InputPrice,
		OutputPrice:              row.OutputPrice,
		CachedPrice:              row.CachedPrice,
		HeaderNames:              row.HeaderNames,
		HeadersSealed:            row.HeadersSealed,
		ExtraBody:                row.ExtraBody,
		ReasoningEffort:          row.ReasoningEffort,
		Streaming:                row.Streaming,
		TextCalls:                row.TextCalls,
		FirstTokenSeconds:        row.FirstTokenSeconds,
		MaxTools:                 row.MaxTools,
	})
	if err != nil {
		return made, explain(err, row.Name)
	}
	return made, nil
}

func explain(err error, name string) error {
	if store.Violates(err, "ai_connections_name") {
		return problem.Errorf(problem.Conflict, "A model connection with the name %q exists already. Choose another name.", name)
	}
	return fmt.Errorf("write connection: %w", err)
}

// Update changes a connection if it still has the revision based. An address on another server needs the key again.
func (m *Module) Update(ctx context.Context, id uuid.UUID, c Change, based *int64) (Connection, error) {
	var connection Connection
	err := m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.table.Hold(ctx, id, access.Own, based)
		if err != nil {
			return err
		}
		if row.Kind == Demo &&
			(c.Name != nil && *c.Name != row.Name || c.BaseURL != nil && *c.BaseURL != "" || c.APIKey != nil && *c.APIKey != "") {
			return problem.Errorf(problem.Conflict, "The demo model keeps its name, address and key. Create a connection of your own.")
		}
		if row.Kind == Demo && (c.ExtraHeaders != nil && len(*c.ExtraHeaders) > 0 || c.ExtraBody != nil && len(*c.ExtraBody) > 0) {
			return problem.Errorf(problem.Conflict, "The demo model takes no extra headers or members. Create a connection of your own.")
		}
		before := row
		if err := m.apply(&row, c); err != nil {
			return err
		}
		row, err = m.queries(ctx).UpdateConnection(ctx, connectiondb.UpdateConnectionParams{
			ID:                       id,
			Name:                     row.Name,
			BaseUrl:                  row.BaseUrl,
			ApiKeySealed:             row.ApiKeySealed,
			DefaultModel:             row.DefaultModel,
			AvailableModels:          row.AvailableModels,
			ContextWindowTokens:      row.ContextWindowTokens,
			ModelFamily:              row.ModelFamily,
			SpendTokenBudget:         row.SpendTokenBudget,
			SpendWindowMinutes:       row.SpendWindowMinutes,
			UnattendedTokenBudget:    row.UnattendedTokenBudget,
			UnattendedWindowMinutes:  row.UnattendedWindowMinutes,
			DisableTopicalClassifier: row.DisableTopicalClassifier,
			SmallCallSeconds:         row.SmallCallSeconds,
			Enabled:                  row.Enabled,
			IsDefault:                row.IsDefault,
			Lessons:                  row.Lessons,
			Figures:                  row.Figures,
			InputPrice:               row.InputPrice,
			OutputPrice:              row.OutputPrice,
			CachedPrice:              row.CachedPrice,
			HeaderNames:              row.HeaderNames,
			HeadersSealed:            row.HeadersSealed,
			ExtraBody:                row.ExtraBody,
			ReasoningEffort:          row.ReasoningEffort,
			Streaming:                row.Streaming,
			TextCalls:                row.TextCalls,
			FirstTokenSeconds:        row.FirstTokenSeconds,
			MaxTools:                 row.MaxTools,
		})
		if err != nil {
			return explain(err, row.Name)
		}
		if connection, err = m.connectionOf(ctx, row); err != nil {
			return err
		}
		return m.record(ctx, audit.Changed, row, "Model connection changed", changedFields(before, row))
	})
	return connection, err
}

// apply applies a change to a row.
func (m *Module) apply(row *connectiondb.AiConnection, c Change) error {
	v := validation{own: m.own}
	before := *row
	if c.Name != nil {
		row.Name = v.name("name", *c.Name)
	}
	if c.BaseURL != nil && row.Kind != Demo {
		row.BaseUrl = v.baseURL(*c.BaseURL)
	}
	if c.DefaultModel != nil {
		row.DefaultModel = v.name("defaultModel", *c.DefaultModel)
	}
	if c.AvailableModels != nil {
		row.AvailableModels = v.models("availableModels", *c.AvailableModels)
	}
	if c.ModelFamily != nil {
		row.ModelFamily = v.family("modelFamily", *c.ModelFamily)
	}
	if err := m.applyRequest(&v, row, before, c); err != nil {
		return err
	}
	if c.ResetLearnedQuirks != nil && *c.ResetLearnedQuirks || row.BaseUrl != before.BaseUrl ||
		row.DefaultModel != before.DefaultModel || sendsOtherwise(before, *row) {
		row.Lessons, row.Figures = noQuirks, connectiondb.Figures{}
	}
	limits := fromRow(before)
	if c.ContextWindowTokens != nil {
		limits.ContextWindowTokens = v.window("contextWindowTokens", c.ContextWindowTokens)
	}
	if c.SpendCap != nil {
		limits.SpendCap = v.spendCap("spendCap", c.SpendCap)
	}
	if c.UnattendedSpendCap != nil {
		limits.UnattendedSpendCap = v.spendCap("unattendedSpendCap", c.UnattendedSpendCap)
	}
	setLimits(row, limits.ContextWindowTokens, limits.SpendCap, limits.UnattendedSpendCap)
	if !same(before.ContextWindowTokens, row.ContextWindowTokens) {
		row.Figures = forgetFigures(row.Figures, func(f *model.Figures) { f.WindowTokens = 0 })
	}
	if c.Price != nil {
		setPrice(row, v.price("price", c.Price))
	}
	if c.DisableTopicalClassifier != nil {
		row.DisableTopicalClassifier = *c.DisableTopicalClassifier
	}
	if c.SmallCallSeconds != nil {
		row.SmallCallSeconds = v.smallCalls("smallCallSeconds", c.SmallCallSeconds)
	}
	if c.Enabled != nil {
		row.Enabled = *c.Enabled
	}
	key := ""
	if c.APIKey != nil {
		key = v.key(*c.APIKey)
	} else if len(before.ApiKeySealed) > 0 && !sameServer(before.BaseUrl, row.BaseUrl) {
		v.Report("apiKey", "must be given again, as the address is on another server")
	}
	if err := v.Err(); err != nil {
		return err
	}
	if c.APIKey != nil {
		return m.seal(row, key)
	}
	return nil
}

// same reports whether two optional settings are equal.
func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// Delete deletes a connection. The demo model stays; it can be disabled.
func (m *Module) Delete(ctx context.Context, id uuid.UUID, based *int64) error {
	return m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.table.Hold(ctx, id, access.Own, based)
		if err != nil {
			return err
		}
		if row.Kind == Demo {
			return problem.Errorf(problem.Conflict, "The demo model is built in and cannot be deleted. Disable it instead.")
		}
		if _, err := m.queries(ctx).DeleteConnection(ctx, id); err != nil {
			return fmt.Errorf("delete connection: %w", err)
		}
		if err := m.removed.Notify(ctx, connectionType, id); err != nil {
			return err
		}
		return m.record(ctx, audit.Deleted, row, "Model connection deleted, with its API key", nil)
	})
}
