package connection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/model"
	"countersign/modules/connection/connectiondb"
)

// testTimeout bounds a test: a person waits for it, and reasoning models are slow.
const testTimeout = 55 * time.Second

// maxWindows limits the stored windows.
const maxWindows = 500

// ForTurn returns the connection of a turn: the one with this id, or the default: the one that an administrator
// chose, the oldest enabled one other than the demo model, or the demo model. A deleted or disabled connection is
// problem.NotAcceptable. The address of the demo model is filled in.
func (m *Module) ForTurn(ctx context.Context, id *uuid.UUID) (Connection, error) {
	q := m.queries(ctx)
	find := q.DefaultConnection
	if id != nil {
		find = func(ctx context.Context) (connectiondb.AiConnection, error) { return q.Connection(ctx, *id) }
	}
	row, err := find(ctx)
	switch {
	case store.NoRows(err) && id == nil:
		return Connection{}, problem.Errorf(
			problem.NotAcceptable,
			"No model connection is enabled. Ask an administrator to enable or create one.",
		)
	case store.NoRows(err):
		return Connection{}, problem.Errorf(problem.NotAcceptable, "The chosen model connection does not exist any more. Choose another one.")
	case err != nil:
		return Connection{}, fmt.Errorf("find connection: %w", err)
	case !row.Enabled:
		return Connection{}, problem.Errorf(problem.NotAcceptable, "The model connection %s is disabled. Choose another one.", row.Name)
	}
	return m.withAddress(fromRow(row)), nil
}

// ForCheck returns the connection with this id, even a disabled one: a model is checked before it is used. The right
// to start a check suffices.
func (m *Module) ForCheck(ctx context.Context, id uuid.UUID) (Connection, error) {
	row, err := m.queries(ctx).Connection(ctx, id)
	if store.NoRows(err) {
		return Connection{}, problem.Errorf(problem.NotFound, "No model connection has the id %s. List the connections to see what exists.", id)
	}
	if err != nil {
		return Connection{}, fmt.Errorf("find connection: %w", err)
	}
	return m.withAddress(fromRow(row)), nil
}

// withAddress fills in the address of the demo model.
func (m *Module) withAddress(c Connection) Connection {
	if c.Kind == Demo {
		c.BaseURL = m.demo().BaseURL
	}
	return c
}

// OpenKey decrypts the API key of a connection, empty for none. It must stay on the server.
func (m *Module) OpenKey(c Connection) (string, error) {
	if c.Kind == Demo {
		return m.demo().APIKey, nil
	}
	if len(c.sealedKey) == 0 {
		return "", nil
	}
	key, err := m.sealer.Open(c.sealedKey, associated(c.ID))
	if err != nil {
		return "", fmt.Errorf("open key of connection %s: %w", c.ID, err)
	}
	return string(key), nil
}

// Test tests the provider and stores the context windows and the number of slots that its server
// reports.
func (m *Module) Test(ctx context.Context, id uuid.UUID) (TestResult, error) {
	c, err := m.Get(ctx, id)
	if err != nil {
		return TestResult{}, err
	}
	c = m.withAddress(c)
	options, err := m.Requests(c)
	if err != nil {
		// The keyset of this installation did not seal them; saving them again repairs it.
		return TestResult{
			Message: "The stored API key or an extra header cannot be opened. Enter it again and save.", Findings: []Finding{},
		}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	probe := Probe{Options: options, Model: c.DefaultModel, NoTools: c.Kind == Demo, KnownQuirks: c.ModelQuirks()}
	if c.Kind != Demo {
		probe.OnQuirks = func(learned []model.ModelQuirk) {
			// A quirk that is not stored is detected again.
			_ = m.AddQuirks(context.WithoutCancel(ctx), c, learned)
		}
	}
	if c.ContextWindowTokens != nil {
		probe.Window = *c.ContextWindowTokens
	}
	result := m.tester.Test(ctx, probe)
	if c.Kind == Demo {
		return result, nil
	}
	kept := context.WithoutCancel(ctx)
	_, err = m.Learn(kept, c, c.DefaultModel, model.Figures{Slots: result.Slots})
	return result, errors.Join(err, m.rememberWindows(kept, c, result.Windows))
}

// rememberWindows stores the windows of the models that the connection allows.
func (m *Module) rememberWindows(ctx context.Context, c Connection, told map[string]int) error {
	kept := map[string]int{}
	for _, name := range c.Models() {
		if told[name] > 0 {
			kept[name] = told[name]
		}
	}
	for name, tokens := range told {
		if len(c.AvailableModels) == 0 && len(kept) < maxWindows {
			kept[name] = tokens
		}
	}
	if len(kept) == 0 {
		return nil
	}
	err := m.queries(ctx).RememberWindows(ctx, connectiondb.RememberWindowsParams{ID: c.ID, Revision: c.Revision, AskedWindows: kept})
	if err != nil {
		return fmt.Errorf("keep windows of connection: %w", err)
	}
	return nil
}

// NoticeCut records that the server counted far fewer tokens of a request than were sent. Only the first occurrence
// is stored.
func (m *Module) NoticeCut(ctx context.Context, c Connection, sent, read int) error {
	if c.Kind == Demo || c.Truncation != nil {
		return nil
	}
	err := m.queries(
		ctx,
	).NoticeCut(
		ctx,
		connectiondb.NoticeCutParams{ID: c.ID, Revision: c.Revision, Sent: new(int32(sent)), Read: new(int32(read))},
	)
	if err != nil {
		return fmt.Errorf("keep what a connection leaves out: %w", err)
	}
	return nil
}

// seal encrypts a key into a row; an empty key clears it.
func (m *Module) seal(row *connectiondb.AiConnection, key string) error {
	row.ApiKeySealed = nil
	if key == "" {
		return nil
	}
	sealed, err := m.sealer.Seal([]byte(key), associated(row.ID))
	if err != nil {
		return fmt.Errorf("seal key: %w", err)
	}
	row.ApiKeySealed = sealed
	return nil
}

// associated is the associated data of a sealed key, headersAssociated that of sealed headers.
func associated(id uuid.UUID) []byte { return []byte("ai_connections/" + id.String()) }

func headersAssociated(id uuid.UUID) []byte { return append(associated(id), "/headers"...) }

func fromRow(r connectiondb.AiConnection) Connection {
	c := Connection{
		ID: r.ID, Name: r.Name, Kind: r.Kind, BaseURL: r.BaseUrl, HasKey: len(r.ApiKeySealed) > 0,
		DefaultModel: r.DefaultModel, AvailableModels: r.AvailableModels, ModelFamily: r.ModelFamily,
		DisableTopicalClassifier: r.DisableTopicalClassifier, Enabled: r.Enabled,
		Revised: rest.Revised{Revision: r.Revision}, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, sealedKey: r.ApiKeySealed,
		sealedHeaders: r.HeadersSealed, ExtraHeaderNames: r.HeaderNames, Streaming: r.Streaming, TextCalls: r.TextCalls,
		UnconfirmedChangesBy: []string{},
		LearnedQuirks:        quirksOf(r.Lessons), LearnedFigures: figuresOf(r.Figures), Price: priceOf(r), askedWindows: r.AskedWindows,
		providerRevision: r.ProviderRevision,
	}
	if r.ContextWindowTokens != nil {
		tokens := int(*r.ContextWindowTokens)
		c.ContextWindowTokens = &tokens
	}
	if c.askedWindows[c.DefaultModel] > 0 {
		c.AskedWindowTokens = new(c.askedWindows[c.DefaultModel])
	}
	if r.CutNoticedAt != nil && r.CutSentTokens != nil && r.CutReadTokens != nil {
		c.Truncation = &Truncation{SentTokens: int(*r.CutSentTokens), ReadTokens: int(*r.CutReadTokens), NoticedAt: *r.CutNoticedAt}
	}
	if r.ExtraBody != nil {
		// It was validated when it was stored.
		_ = json.Unmarshal(r.ExtraBody, &c.ExtraBody)
	}
	if r.ReasoningEffort != nil {
		c.ReasoningEffort = *r.ReasoningEffort
	}
	if r.FirstTokenSeconds != nil {
		c.FirstTokenSeconds = new(int(*r.FirstTokenSeconds))
	}
	if r.MaxTools != nil {
		c.MaxTools = new(int(*r.MaxTools))
	}
	if r.SmallCallSeconds != nil {
		c.SmallCallSeconds = new(int(*r.SmallCallSeconds))
	}
	if r.SpendTokenBudget != nil && r.SpendWindowMinutes != nil {
		c.SpendCap = &SpendCap{TokenBudget: *r.SpendTokenBudget, WindowMinutes: int(*r.SpendWindowMinutes)}
	}
	if r.UnattendedTokenBudget != nil && r.UnattendedWindowMinutes != nil {
		c.UnattendedSpendCap = &SpendCap{TokenBudget: *r.UnattendedTokenBudget, WindowMinutes: int(*r.UnattendedWindowMinutes)}
	}
	return c
}

func setLimits(row *connectiondb.AiConnection, window *int, limit, unattended *SpendCap) {
	row.ContextWindowTokens = nil
	if window != nil {
		tokens := int32(*window)
		row.ContextWindowTokens = &tokens
	}
	row.SpendTokenBudget, row.SpendWindowMinutes = limit.columns()
	row.UnattendedTokenBudget, row.UnattendedWindowMinutes = unattended.columns()
}

func (s *SpendCap) columns() (tokens *int64, minutes *int32) {
	if s == nil {
		return nil, nil
	}
	return &s.TokenBudget, new(int32(s.WindowMinutes))
}
