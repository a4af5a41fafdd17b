package connection_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/modules/connection"
)

const path = "/api/ai/connections"

func TestAConnectionIsCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	created := a.do(t, "ai.connection.manage", http.MethodPost, path, map[string]any{
		"name": " Main ", "baseUrl": "https://models.example.org/v1/", "apiKey": key, "defaultModel": "gpt-x",
		"availableModels": []string{"gpt-y", "gpt-y", "gpt-x"}, "contextWindowTokens": 200000, "modelFamily": "openai",
		"spendCap": map[string]any{"tokenBudget": 200000, "windowMinutes": 60}, "disableTopicalClassifier": true,
		"smallCallSeconds": 45,
	})
	require.Equal(t, http.StatusCreated, created.Status, created.Body)
	require.Equal(t, `"1"`, created.Header.Get("ETag"))
	c := apitest.Decode[connection.Connection](t, created)
	require.Equal(t, "Main", c.Name)
	require.Equal(t, connection.OpenAICompatible, c.Kind)
	require.Equal(t, "https://models.example.org/v1", c.BaseURL)
	require.True(t, c.HasKey)
	require.True(t, c.Enabled)
	require.Equal(t, []string{"gpt-y", "gpt-x"}, c.AvailableModels)
	require.Equal(t, 45, *c.SmallCallSeconds)
	require.Equal(t, 200000, *c.ContextWindowTokens)
	require.Equal(t, connection.SpendCap{TokenBudget: 200000, WindowMinutes: 60}, *c.SpendCap)
	one := path + "/" + c.ID.String()
	require.Equal(t, c, apitest.Decode[connection.Connection](t, a.do(t, "ai.connection.read", http.MethodGet, one, nil)))

	changed := a.do(t, "*", http.MethodPatch, one, map[string]any{
		"name": "Primary", "contextWindowTokens": nil, "spendCap": nil, "enabled": false, "availableModels": []string{},
	}, "If-Match", `"1"`)
	c = apitest.Decode[connection.Connection](t, changed)
	require.Equal(t, "Primary", c.Name)
	require.Nil(t, c.ContextWindowTokens)
	require.Nil(t, c.SpendCap)
	require.False(t, c.Enabled)
	require.Empty(t, c.AvailableModels)
	require.True(t, c.DisableTopicalClassifier, "what is absent stays")
	require.True(t, c.HasKey)
	require.Equal(t, int64(2), c.Revision)
	require.Equal(
		t,
		http.StatusPreconditionFailed,
		a.do(t, "*", http.MethodPatch, one, map[string]any{"name": "Late"}, "If-Match", `"1"`).Status,
	)
	require.Equal(t, http.StatusPreconditionFailed, a.do(t, "*", http.MethodDelete, one, nil, "If-Match", `"1"`).Status)

	capped := a.do(
		t,
		"*",
		http.MethodPatch,
		one,
		map[string]any{"contextWindowTokens": 8192, "spendCap": map[string]any{"tokenBudget": 5, "windowMinutes": 1}},
	)
	require.Equal(t, 8192, *apitest.Decode[connection.Connection](t, capped).ContextWindowTokens)

	require.Equal(t, http.StatusNoContent, a.do(t, "*", http.MethodDelete, one, nil).Status)
	require.Equal(t, http.StatusNotFound, a.do(t, "*", http.MethodGet, one, nil).Status)
	require.Equal(t, http.StatusNotFound, a.do(t, "*", http.MethodDelete, one, nil).Status)
}

func TestInputIsChecked(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for name, change := range map[string]func(n *connection.NewConnection){
		"no name":            func(n *connection.NewConnection) { n.Name = " " },
		"null byte":          func(n *connection.NewConnection) { n.Name = "a\x00b" },
		"no scheme":          func(n *connection.NewConnection) { n.BaseURL = "models.example.org" },
		"other scheme":       func(n *connection.NewConnection) { n.BaseURL = "file:///etc/passwd" },
		"no host":            func(n *connection.NewConnection) { n.BaseURL = "https:///v1" },
		"password in URL":    func(n *connection.NewConnection) { n.BaseURL = "https://user:pass@models.example.org" },
		"fragment":           func(n *connection.NewConnection) { n.BaseURL = "https://models.example.org/#x" },
		"metadata":           func(n *connection.NewConnection) { n.BaseURL = "http://169.254.169.254/v1" },
		"metadata in IPv6":   func(n *connection.NewConnection) { n.BaseURL = "http://[::ffff:169.254.169.254]/v1" },
		"metadata by NAT64":  func(n *connection.NewConnection) { n.BaseURL = "http://[64:ff9b::a9fe:a9fe]/v1" },
		"host agent":         func(n *connection.NewConnection) { n.BaseURL = "http://168.63.129.16/v1" },
		"metadata by name":   func(n *connection.NewConnection) { n.BaseURL = "http://metadata.google.internal/v1" },
		"metadata by DNS":    func(n *connection.NewConnection) { n.BaseURL = "https://trap.example.org/v1" },
		"link-local":         func(n *connection.NewConnection) { n.BaseURL = "http://[fe80::1]/v1" },
		"line break in key":  func(n *connection.NewConnection) { n.APIKey = "sk\r\nX-Evil: 1" },
		"long key":           func(n *connection.NewConnection) { n.APIKey = strings.Repeat("k", 5000) },
		"no model":           func(n *connection.NewConnection) { n.DefaultModel = "" },
		"blank model":        func(n *connection.NewConnection) { n.AvailableModels = []string{"a", ""} },
		"tiny window":        func(n *connection.NewConnection) { n.ContextWindowTokens = new(10) },
		"negative window":    func(n *connection.NewConnection) { n.ContextWindowTokens = new(-1) },
		"unknown family":     func(n *connection.NewConnection) { n.ModelFamily = "llama" },
		"cap without window": func(n *connection.NewConnection) { n.SpendCap = &connection.SpendCap{TokenBudget: 5} },
		"window without cap": func(n *connection.NewConnection) { n.UnattendedSpendCap = &connection.SpendCap{WindowMinutes: 5} },
		"disabled default":   func(n *connection.NewConnection) { n.IsDefault, n.Enabled = true, new(false) },
	} {
		n := valid("A")
		change(&n)
		_, err := a.Create(t.Context(), n)
		require.True(t, problem.Is(err, problem.Invalid), "%s: %v", name, err)
		require.NotEmpty(t, problem.As(err).Issues, name)
	}
	require.Equal(t, http.StatusUnprocessableEntity, a.do(t, "*", http.MethodPost, path, map[string]any{
		"name": "A", "baseUrl": "https://x.example.org", "defaultModel": "m", "kind": "demo",
	}).Status, "a closed schema")
	for field, bad := range map[string]any{"contextWindowTokens": 5, "spendCap": map[string]any{"tokenBudget": 0, "windowMinutes": 1}, "modelFamily": "x", "apiKey": 5} {
		c, err := a.Create(t.Context(), valid(field))
		require.NoError(t, err)
		require.Equal(
			t,
			http.StatusUnprocessableEntity,
			a.do(t, "*", http.MethodPatch, path+"/"+c.ID.String(), map[string]any{field: bad}).Status,
			field,
		)
	}

	_, err := a.Create(t.Context(), valid("Same"))
	require.NoError(t, err)
	_, err = a.Create(t.Context(), valid("same"))
	require.True(t, problem.Is(err, problem.Conflict), err)
}

func TestEveryOperationNeedsItsRule(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	c, err := a.Create(t.Context(), valid("Main"))
	require.NoError(t, err)
	one := path + "/" + c.ID.String()
	for _, call := range []struct{ method, path, rule string }{
		{http.MethodGet, "/api/ai/integrations", "ai.chat.read"},
		{http.MethodGet, "/api/ai/spend", "ai.connection.manage"},
		{http.MethodGet, path, "ai.connection.read"},
		{http.MethodGet, one, "ai.connection.read"},
		{http.MethodPost, path, "ai.connection.manage"},
		{http.MethodPatch, one, "ai.connection.manage"},
		{http.MethodDelete, one, "ai.connection.manage"},
		{http.MethodPost, one + "/test", "ai.connection.manage"},
	} {
		require.Equal(t, http.StatusUnauthorized, a.do(t, "", call.method, call.path, nil).Status, call)
		others := strings.ReplaceAll("ai.chat.read,ai.connection.read,ai.connection.manage", call.rule, "other.rule.read")
		refused := a.do(t, others, call.method, call.path, nil)
		require.Equal(t, http.StatusForbidden, refused.Status, call)
		require.Contains(t, refused.Body, call.rule)
	}
	for _, rule := range new(connection.Module).Rules() {
		require.NotEmpty(t, rule.Description)
	}
}

func TestAKeyIsSealedForItsRow(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	c, err := a.Create(t.Context(), valid("Main"))
	require.NoError(t, err)
	other, err := a.Create(t.Context(), valid("Other"))
	require.NoError(t, err)
	got, err := a.OpenKey(c)
	require.NoError(t, err)
	require.Equal(t, key, got)

	var sealed []byte
	conn := a.DB.Conn(t.Context())
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT api_key_sealed FROM ai_connections WHERE id = $1", c.ID).Scan(&sealed))
	require.NotContains(t, string(sealed), key)
	_, err = conn.Exec(t.Context(), "UPDATE ai_connections SET api_key_sealed = $1 WHERE id = $2", sealed, other.ID)
	require.NoError(t, err)
	other, err = a.Get(manager(t), other.ID)
	require.NoError(t, err)
	_, err = a.OpenKey(other)
	require.Error(t, err, "the key of another row")
	require.NotContains(t, err.Error(), key)

	none := valid("None")
	none.APIKey = ""
	c, err = a.Create(t.Context(), none)
	require.NoError(t, err)
	require.False(t, c.HasKey)
	got, err = a.OpenKey(c)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestAKeyIsReplacedAndRemoved(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	c, err := a.Create(t.Context(), valid("Main"))
	require.NoError(t, err)
	one := path + "/" + c.ID.String()
	require.True(t, apitest.Decode[connection.Connection](t, a.do(t, "*", http.MethodPatch, one, map[string]any{"apiKey": "sk-next"})).HasKey)
	c, err = a.ForTurn(t.Context(), &c.ID)
	require.NoError(t, err)
	got, err := a.OpenKey(c)
	require.NoError(t, err)
	require.Equal(t, "sk-next", got)
	require.False(t, apitest.Decode[connection.Connection](t, a.do(t, "*", http.MethodPatch, one, map[string]any{"apiKey": nil})).HasKey)
}

// null clears what can be empty and is refused for the rest, in words that name the member.
func TestNullClearsWhatCanBeEmptyAndIsRefusedForTheRest(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	full := valid("Main")
	full.AvailableModels, full.ContextWindowTokens = []string{"gpt-z"}, new(8000)
	full.SpendCap, full.UnattendedSpendCap = &connection.SpendCap{
		TokenBudget:   10,
		WindowMinutes: 5,
	}, &connection.SpendCap{
		TokenBudget:   20,
		WindowMinutes: 6,
	}
	c, err := a.Create(t.Context(), full)
	require.NoError(t, err)
	one := path + "/" + c.ID.String()
	for _, member := range []string{"name", "baseUrl", "defaultModel", "modelFamily", "disableTopicalClassifier", "enabled"} {
		issues := a.do(t, "*", http.MethodPatch, one, map[string]any{member: nil}).Refused(t, problem.Invalid).Issues
		require.Equal(t, []problem.Issue{{Path: member, Message: "must not be null"}}, issues)
	}
	cleared := apitest.Decode[connection.Connection](t, a.do(t, "*", http.MethodPatch, one, map[string]any{
		"apiKey": nil, "availableModels": nil, "contextWindowTokens": nil, "spendCap": nil, "unattendedSpendCap": nil,
		"smallCallSeconds": nil,
	}))
	require.Nil(t, cleared.SmallCallSeconds)
	require.False(t, cleared.HasKey)
	require.Empty(t, cleared.AvailableModels)
	require.Nil(t, cleared.ContextWindowTokens)
	require.Nil(t, cleared.SpendCap)
	require.Nil(t, cleared.UnattendedSpendCap)
	require.Equal(t, "Main", cleared.Name)
}

// Otherwise whoever may change connections could have the key, which they cannot read, sent to a server of theirs.
func TestAnAddressOnAnotherServerNeedsTheKeyAgain(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	c, err := a.Create(t.Context(), valid("Main"))
	require.NoError(t, err)
	for _, url := range []string{"https://evil.example.org/v1", "http://models.example.org/v1", "https://models.example.org:8443/v1"} {
		_, err = a.Update(manager(t), c.ID, connection.Change{BaseURL: &url}, nil)
		require.True(t, problem.Is(err, problem.Invalid), url)
	}
	_, err = a.Update(manager(t), c.ID, connection.Change{BaseURL: new("https://models.example.org/v2")}, nil)
	require.NoError(t, err, "the same server")
	_, err = a.Update(manager(t), c.ID, connection.Change{BaseURL: new("https://new.example.org/v1"), APIKey: new("sk-new")}, nil)
	require.NoError(t, err)
	moved, err := a.Update(manager(t), c.ID, connection.Change{BaseURL: new("https://other.example.org/v1"), APIKey: new("")}, nil)
	require.NoError(t, err)
	require.False(t, moved.HasKey)
}

func TestAModelIsHeldToTheList(t *testing.T) {
	t.Parallel()
	listed := connection.Connection{DefaultModel: "small", AvailableModels: []string{"large", "small"}}
	require.Equal(t, "small", connection.ResolveModel(listed, ""))
	require.Equal(t, "small", connection.ResolveModel(listed, "small"))
	require.Equal(t, "large", connection.ResolveModel(listed, "large"))
	require.Equal(t, "small", connection.ResolveModel(listed, "huge"))
	require.Equal(t, []string{"small", "large"}, listed.Models())

	apart := connection.Connection{DefaultModel: "small", AvailableModels: []string{"large"}}
	require.Equal(t, "small", connection.ResolveModel(apart, "small"), "the default is always allowed")
	open := connection.Connection{DefaultModel: "small"}
	require.Equal(t, "huge", connection.ResolveModel(open, "huge"), "an empty list allows any")
	require.Equal(t, []string{"small"}, open.Models())
}

func TestATurnUsesTheChosenDefaultElseTheOldestRealConnection(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	_, err := a.ForTurn(t.Context(), nil)
	require.True(t, problem.Is(err, problem.NotAcceptable), err)
	_, err = a.Bootstrap(t.Context(), connection.Environment{})
	require.NoError(t, err)

	demo, err := a.ForTurn(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, connection.Demo, demo.Kind)
	require.Equal(t, "http://127.0.0.1:4711/demo/v1", demo.BaseURL, "the running process knows its address")
	opened, err := a.OpenKey(demo)
	require.NoError(t, err)
	require.Equal(t, "demo-key", opened)

	old, err := a.Create(t.Context(), valid("Old"))
	require.NoError(t, err)
	newer, err := a.Create(t.Context(), valid("New"))
	require.NoError(t, err)
	chosen := func(id *uuid.UUID) uuid.UUID {
		c, err := a.ForTurn(t.Context(), id)
		require.NoError(t, err)
		return c.ID
	}
	require.Equal(t, demo.ID, chosen(nil), "a connection that nobody has tried is nobody's default")
	require.Equal(t, old.ID, chosen(&old.ID))
	require.Equal(t, demo.ID, chosen(&demo.ID))
	_, err = a.SetDefault(manager(t), newer.ID, nil)
	require.NoError(t, err)
	require.Equal(t, newer.ID, chosen(nil))
	_, err = a.Update(manager(t), newer.ID, connection.Change{Enabled: new(false)}, nil)
	require.NoError(t, err)
	require.Equal(t, old.ID, chosen(nil), "the chosen one is away")

	_, err = a.ForTurn(t.Context(), &newer.ID)
	require.Equal(t, http.StatusBadRequest, problem.As(err).GetStatus(), "disabled")
	_, err = a.ForTurn(t.Context(), new(uuid.New()))
	require.Equal(t, http.StatusBadRequest, problem.As(err).GetStatus(), "gone")

	list := apitest.Decode[struct{ Integrations []map[string]any }](
		t,
		a.do(t, "ai.chat.read", http.MethodGet, "/api/ai/integrations", nil),
	).Integrations
	require.Len(t, list, 2, "the disabled one is not offered")
	require.Equal(
		t,
		map[string]any{
			"connectionId":    old.ID.String(),
			"name":            "Old",
			"kind":            "openai-compatible",
			"defaultModel":    "gpt-x",
			"availableModels": []any{},
		},
		list[0],
	)
	require.Equal(t, "demo", list[1]["kind"])
}

func TestTheDemoModelStaysAndIsLabelled(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	_, err := a.Bootstrap(t.Context(), connection.Environment{})
	require.NoError(t, err)
	list := apitest.Decode[struct{ Connections []connection.Connection }](t, a.do(t, "*", http.MethodGet, path, nil)).Connections
	require.Len(t, list, 1)
	demo := list[0]
	require.Equal(t, "Demo model (scripted, no AI)", demo.Name)
	require.Empty(t, demo.BaseURL)
	one := path + "/" + demo.ID.String()
	require.Equal(t, http.StatusConflict, a.do(t, "*", http.MethodDelete, one, nil).Status)
	for _, change := range []map[string]any{{"name": "GPT-9"}, {"baseUrl": "https://evil.example.org"}, {"apiKey": "x"}} {
		require.Equal(t, http.StatusConflict, a.do(t, "*", http.MethodPatch, one, change).Status, change)
	}
	off := apitest.Decode[connection.Connection](
		t,
		a.do(t, "*", http.MethodPatch, one, map[string]any{"enabled": false, "contextWindowTokens": 9000}),
	)
	require.False(t, off.Enabled)
	_, err = a.Bootstrap(t.Context(), connection.Environment{})
	require.NoError(t, err)
	still, err := a.Get(manager(t), demo.ID)
	require.NoError(t, err)
	require.False(t, still.Enabled, "a later start does not switch it on again")
}

func TestTheEnvironmentMakesAConnectionWhileThereIsNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  connection.Environment
		want string
	}{
		"a key":              {connection.Environment{APIKey: key}, "OpenAI https://api.openai.com/v1 gpt-4o-mini true"},
		"a key and a model":  {connection.Environment{APIKey: key, Model: "gpt-x"}, "OpenAI https://api.openai.com/v1 gpt-x true"},
		"a server of theirs": {connection.Environment{BaseURL: "http://localhost:11434/v1/", Model: "llama"}, "localhost:11434 http://localhost:11434/v1 llama false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			created, err := a.Bootstrap(t.Context(), c.env)
			require.NoError(t, err)
			require.True(t, created)
			made, err := a.ForTurn(t.Context(), nil)
			require.NoError(t, err)
			hasKey := map[bool]string{true: "true", false: "false"}[made.HasKey]
			require.Equal(t, c.want, strings.Join([]string{made.Name, made.BaseURL, made.DefaultModel, hasKey}, " "))

			again, err := a.Bootstrap(t.Context(), connection.Environment{BaseURL: "https://other.example.org", APIKey: "x"})
			require.NoError(t, err)
			require.False(t, again)
		})
	}
	a := newApp(t)
	_, err := a.Bootstrap(t.Context(), connection.Environment{BaseURL: "nonsense"})
	require.ErrorContains(t, err, "OPENAI_BASE_URL")
}

func TestProcessesThatStartTogetherMakeOneOfEach(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const processes = 6
	for range 5 {
		_, err := a.DB.Conn(t.Context()).Exec(t.Context(), "DELETE FROM ai_connections")
		require.NoError(t, err)
		created := make([]bool, processes)
		errs := make([]error, processes)
		start := make(chan struct{})
		var wg sync.WaitGroup
		for i := range processes {
			wg.Go(func() {
				<-start
				created[i], errs[i] = a.Bootstrap(t.Context(), connection.Environment{APIKey: key})
			})
		}
		close(start)
		wg.Wait()
		n := 0
		for i := range processes {
			require.NoError(t, errs[i])
			if created[i] {
				n++
			}
		}
		require.Equal(t, 1, n)
		all, err := a.List(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 2)
	}
}

func TestAnotherKeysetCannotOpenAndTheTestSaysWhatToDo(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	c, err := a.Create(manager(t), valid("Main"))
	require.NoError(t, err)
	other, err := secret.New()
	require.NoError(t, err)
	moved, err := connection.New(
		connection.Options{DB: a.DB, Sealer: other, Demo: func() connection.Endpoint { return connection.Endpoint{} }},
	)
	require.NoError(t, err)
	result, err := moved.Test(manager(t), c.ID)
	require.NoError(t, err)
	require.False(t, result.OK)
	require.Contains(t, result.Message, "Enter it again")

	rotated, err := a.keys.Rotate()
	require.NoError(t, err)
	after, err := connection.New(
		connection.Options{DB: a.DB, Sealer: rotated, Demo: func() connection.Endpoint { return connection.Endpoint{} }},
	)
	require.NoError(t, err)
	got, err := after.OpenKey(c)
	require.NoError(t, err)
	require.Equal(t, key, got)
}
