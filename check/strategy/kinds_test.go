package strategy_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/assertion"
	"countersign/check/strategy"
)

// property is what a schema says of one value.
type property struct {
	Type                 string               `json:"type"`
	Description          string               `json:"description"`
	Default              any                  `json:"default"`
	Enum                 []any                `json:"enum"`
	Format               string               `json:"format"`
	Minimum              *float64             `json:"minimum"`
	Maximum              *float64             `json:"maximum"`
	MaxLength            *int                 `json:"maxLength"`
	MaxItems             *int                 `json:"maxItems"`
	MaxProperties        *int                 `json:"maxProperties"`
	Properties           map[string]*property `json:"properties"`
	Required             []string             `json:"required"`
	Items                *property            `json:"items"`
	AdditionalProperties json.RawMessage      `json:"additionalProperties"`
	Secret               bool                 `json:"x-secret"`
	Template             bool                 `json:"x-template"`
	Label                string               `json:"x-label"`
	Unit                 string               `json:"x-unit"`
	Chart                string               `json:"x-chart"`
}

// each calls visit for every property with its path.
func (p *property) each(path string, visit func(path string, p *property)) {
	for name, inner := range p.Properties {
		visit(path+"."+name, inner)
		inner.each(path+"."+name, visit)
	}
	if p.Items != nil {
		p.Items.each(path+"[]", visit)
	}
}

func read(t *testing.T, s *check.Schema) *property {
	t.Helper()
	p := &property{}
	require.NoError(t, json.Unmarshal(s.JSON(), p))
	return p
}

func TestEveryKindCanBeRegistered(t *testing.T) {
	t.Parallel()
	r, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	for _, s := range r.Strategies() {
		require.True(t, strings.HasPrefix(s.ID, "healthcheck-"), s.ID)
		require.NotEmpty(t, s.Category, s.ID)
		for _, c := range s.Collectors {
			require.NotEmpty(t, c.Category, c.ID)
			require.True(t, strings.HasSuffix(c.Description, "."), "%s: %s", c.ID, c.Description)
		}
	}
}

func TestEveryConfigIsDescribedAndBounded(t *testing.T) {
	t.Parallel()
	for _, s := range strategy.All() {
		timeout := read(t, s.Config).Properties["timeout"]
		require.NotNil(t, timeout, "%s has no timeout", s.ID)
		require.Equal(t, "integer", timeout.Type, s.ID)
		require.Nil(t, timeout.Default, "%s: the default depends on the interval, as the description says", s.ID)
		require.Equal(t, check.MinTimeout.Milliseconds(), int64(*timeout.Minimum), s.ID)
		configs := map[string]*check.Schema{s.ID: s.Config}
		for _, c := range s.Collectors {
			configs[c.ID] = c.Config
		}
		for id, config := range configs {
			top := read(t, config)
			require.JSONEq(t, "false", string(top.AdditionalProperties), "%s is not closed", id)
			top.each(id, func(path string, p *property) {
				if p.Description == "" && p.Label == "" {
					t.Errorf("%s has neither a description nor a label", path)
				}
				switch p.Type {
				case "string":
					if p.MaxLength == nil && len(p.Enum) == 0 && p.Format != "uuid" {
						t.Errorf("%s has no maxLength", path)
					}
				case "integer", "number":
					if p.Minimum == nil || p.Maximum == nil {
						t.Errorf("%s is not bounded", path)
					}
				case "array":
					if p.MaxItems == nil {
						t.Errorf("%s has no maxItems", path)
					}
				case "object":
					if p.MaxProperties == nil && len(p.Properties) == 0 {
						t.Errorf("%s has no maxProperties", path)
					}
				}
			})
		}
	}
}

func TestEveryResultIsDescribed(t *testing.T) {
	t.Parallel()
	units := map[string]bool{"": true, "ms": true, "s": true, "days": true, "%": true, "bytes": true, "MB": true, "GB": true}
	for _, s := range strategy.All() {
		for _, c := range s.Collectors {
			top := read(t, c.Result)
			require.NotEmpty(t, c.Result.Fields(), c.ID)
			kept := 0
			for _, f := range c.Result.Fields() {
				path := c.ID + "." + f.Name
				p := top.Properties[f.Name]
				if p.Description == "" || f.Label == "" {
					t.Errorf("%s lacks a description or a label", path)
				}
				if !units[f.Unit] {
					t.Errorf("%s has the unit %q", path, f.Unit)
				}
				if f.Keep {
					kept++
					if f.Type != assertion.Number && f.Type != assertion.Boolean {
						t.Errorf("%s is kept and has no numbers", path)
					}
				}
				if strings.HasSuffix(f.Name, "Ms") && f.Unit != "ms" {
					t.Errorf("%s is not in ms", path)
				}
				if f.Type != assertion.Other && len(f.Operators()) == 0 {
					t.Errorf("%s has no operators", path)
				}
			}
			if kept > check.MaxKept {
				t.Errorf("%s keeps %d fields", c.ID, kept)
			}
		}
	}
}

// example is a config with what is required and nothing else.
func example(p *property) map[string]any {
	config := map[string]any{}
	for _, name := range p.Required {
		inner := p.Properties[name]
		switch inner.Type {
		case "string":
			config[name] = "example.com"
			if name == "oid" {
				config[name] = "1.3.6.1"
			}
			if strings.Contains(strings.ToLower(name), "url") {
				config[name] = "https://example.com/"
			}
			if len(inner.Enum) > 0 {
				config[name] = inner.Enum[0]
			}
			if inner.Secret {
				config[name] = "${{ secrets.EXAMPLE }}"
			}
		case "integer", "number":
			config[name] = inner.Minimum
		case "boolean":
			config[name] = true
		case "array":
			config[name] = []any{}
		default:
			config[name] = map[string]any{}
		}
	}
	return config
}

// needed is what a schema cannot say.
var needed = map[string]map[string]any{
	"healthcheck-websocket.websocket": {"url": "wss://example.com/"},
	"healthcheck-ssh.ssh":             {"password": "${{ secrets.EXAMPLE }}"},
	"healthcheck-docker.docker":       {"host": "example.com"},
	"healthcheck-snmp.snmp":           {"community": "${{ secrets.EXAMPLE }}"},
}

func TestWhatIsRequiredIsEnough(t *testing.T) {
	t.Parallel()
	r, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	for _, s := range r.Strategies() {
		for _, c := range s.Collectors {
			least := example(read(t, s.Config))
			maps.Copy(least, needed[s.ID])
			config, err := json.Marshal(least)
			require.NoError(t, err)
			of, err := json.Marshal(example(read(t, c.Config)))
			require.NoError(t, err)
			var assertions []check.Assertion
			for _, f := range c.Result.Fields() {
				for _, o := range f.Operators() {
					value := values[o.Takes]
					if o.Takes == assertion.AList && f.Type == assertion.String {
						value = json.RawMessage(`["a"]`)
					}
					assertions = append(assertions, check.Assertion{Field: f.Name, Operator: o.ID, Value: value})
				}
			}
			for len(assertions) > 0 {
				n := min(len(assertions), check.MaxAssertions)
				configuration := check.Configuration{Strategy: s.ID, Config: config, Collectors: []check.Collected{{
					ID: [16]byte{1}, CollectorID: c.ID, Config: of, Assertions: assertions[:n],
				}}}
				require.Empty(t, r.Validate(t.Context(), configuration), "%s with %s: %s %s", s.ID, c.ID, config, of)
				configuration.Config = json.RawMessage(fmt.Sprintf(`{"%s":1}`, strings.Repeat("x", 20)))
				require.NotEmpty(t, r.Validate(t.Context(), configuration))
				assertions = assertions[n:]
			}
		}
	}
}

// values are one for each thing that operators take.
var values = map[assertion.Takes]json.RawMessage{
	assertion.ANumber: json.RawMessage("1"), assertion.AText: json.RawMessage(`"a"`), assertion.APattern: json.RawMessage(`"^a"`),
	assertion.ACount: json.RawMessage("1"), assertion.AScalar: json.RawMessage("true"),
	assertion.ARange: json.RawMessage("[1, 2]"), assertion.AList: json.RawMessage("[1, 2]"),
}
