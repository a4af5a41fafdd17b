package script

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/invopop/jsonschema"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store/exactlyonce"
	"countersign/script/sdk"
	"countersign/tool"
)

// Tester tests scripts; *Service implements it.
type Tester interface {
	Test(ctx context.Context, allowed []sdk.Context, in TestInput) (TestOutput, error)
	// Network reports whether a test that starts now has network access.
	Network(ctx context.Context) bool
}

// Authoring is a module's API for script authors: operations and tools.
type Authoring struct {
	// Module is the first part of the path and of the operations' names: "healthcheck".
	Module string
	// Rule is the access rule that authors need.
	Rule string
	// Contexts are the contexts of the module's scripts: one for TypeScript, then one for shell.
	Contexts []sdk.Context
	Tester   Tester
	// Once is the exactly-once ledger for tests with a key.
	Once *exactlyonce.Ledger
	// Texts are the texts of the two tools, tool_get_script_context.md and tool_test_script.md.
	Texts embed.FS
	// Config describes the configuration of a draft to the model.
	Config string
}

// ContextsPath is the path of a module's script contexts.
func ContextsPath(module string) string { return "/api/" + module + "/script-contexts" }

// TestsPath is the path that tests are posted to.
func TestsPath(module string) string { return "/api/" + module + "/script-tests" }

// NetworkPath is the path that tells whether tests have a network.
func NetworkPath(module string) string { return "/api/" + module + "/script-network" }

// NetworkState says whether the tests of scripts have a network.
type NetworkState struct {
	Allowed bool `json:"allowed" doc:"Whether a test that starts now can reach anything"`
}

// Routes declares the operations.
func (a Authoring) Routes(api huma.API) {
	huma.Register(
		api,
		rest.Op(
			"get-"+a.Module+"-script-context",
			http.MethodGet,
			ContextsPath(a.Module)+"/{context}",
			"Get what a script of a context can use",
			rest.Rules(a.Rule),
		),
		func(_ context.Context, in *struct {
			Context string `path:"context" maxLength:"100"`
		},
		) (*struct{ Body sdk.Description }, error) {
			c, err := parseContext(in.Context, a.Contexts)
			if err != nil {
				return nil, err
			}
			d, err := sdk.Describe(c)
			return &struct{ Body sdk.Description }{d}, err
		},
	)
	huma.Register(
		api,
		rest.Op(
			"get-"+a.Module+"-script-network",
			http.MethodGet,
			NetworkPath(a.Module),
			"See whether tests of scripts have a network",
			rest.Rules(a.Rule),
		),
		func(ctx context.Context, _ *struct{}) (*struct{ Body NetworkState }, error) {
			return &struct{ Body NetworkState }{NetworkState{a.Tester.Network(ctx)}}, nil
		},
	)
	huma.Register(api, rest.Op("test-"+a.Module+"-script", http.MethodPost, TestsPath(a.Module), "Test a script in the sandbox",
		rest.Rules(a.Rule), rest.SelfIdempotent(), rest.Status(http.StatusOK),
		rest.Doc("Nothing is saved. Whatever the script does is an answer with status 200; the answer comes when "+
			"the script has ended. With an Idempotency-Key it runs once; a repeat gets the first answer.")),
		func(ctx context.Context, in *struct {
			Key  string `header:"Idempotency-Key" maxLength:"255"`
			Body TestInput
		},
		) (*struct{ Body TestOutput }, error) {
			output, err := a.test(ctx, in.Body, in.Key)
			return &struct{ Body TestOutput }{output}, err
		})
}

// test runs a script. Tests with the same key, "" for none, run once (idempotency). A call that was allowed because it
// only computes has no network, even if the policy has changed since.
func (a Authoring) test(ctx context.Context, in TestInput, key string) (TestOutput, error) {
	in.WithoutNetwork = in.WithoutNetwork || tool.ReadsOnly(ctx, a.toolName())
	if key == "" {
		return a.Tester.Test(ctx, a.Contexts, in)
	}
	document, err := json.Marshal(in)
	if err != nil {
		return TestOutput{}, fmt.Errorf("encode a test: %w", err)
	}
	hash := sha256.Sum256(document)
	lost := problem.Errorf(problem.Conflict, "The test began, and how it ended is not known. The script is not run "+
		"again, because it may have changed something. Test it again if that is harmless.")
	call := exactlyonce.Call{
		Principal: principal.FromContext(ctx),
		Key:       key,
		Hash:      hash[:],
		Timeout:   in.timeout() + TestOverhead,
		Unknown:   lost,
	}
	return exactlyonce.Do(ctx, a.Once, call, func(ctx context.Context) (TestOutput, error) {
		out, err := a.Tester.Test(ctx, a.Contexts, in)
		if err != nil && problem.CodeOf(err) == problem.Internal {
			err = lost
		}
		return out, err
	})
}

// Tools returns the tools for script authors: getScriptContext and testScript of the module.
func (a Authoring) Tools() []tool.Tool {
	return []tool.Tool{a.getScriptContextTool(), a.testScriptTool()}
}

// refine adapts the schema of a tool to the module.
func (a Authoring) refine(s *jsonschema.Schema) {
	where, _ := s.Properties.Get("context")
	for _, c := range a.Contexts {
		where.Enum = append(where.Enum, c)
	}
	if config, ok := s.Properties.Get("config"); ok {
		config.Description = a.Config
	}
}
