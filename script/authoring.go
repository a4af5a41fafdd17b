package script

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/rest"
	"countersign/script/sdk"
	"countersign/tool"
)

// Tester tests scripts. *Service is one.
type Tester interface {
	Test(ctx context.Context, allowed []sdk.Context, in TestInput) (TestOutput, error)
}

// Authoring is what a module offers to those who write its scripts.
type Authoring struct {
	// Module is the first part of the path and of the operations' names: "healthcheck".
	Module string
	// Rule is what an author must hold.
	Rule     string
	Contexts []sdk.Context
	Tester   Tester
}

// ContextsPath is where the contexts of a module are read.
func ContextsPath(module string) string { return "/api/" + module + "/script-contexts" }

// TestsPath is where a test is posted.
func TestsPath(module string) string { return "/api/" + module + "/script-tests" }

// Routes declares the operations.
func (a Authoring) Routes(api huma.API) {
	huma.Register(api, rest.Op("get-"+a.Module+"-script-context", http.MethodGet, ContextsPath(a.Module)+"/{context}", "Get what a script of a context can use", rest.Rules(a.Rule)),
		func(_ context.Context, in *struct {
			Context string `path:"context" maxLength:"100"`
		}) (*struct{ Body sdk.Description }, error) {
			c, err := parseContext(in.Context, a.Contexts)
			if err != nil {
				return nil, err
			}
			d, err := sdk.Describe(c)
			return &struct{ Body sdk.Description }{d}, err
		})
	huma.Register(api, rest.Op("test-"+a.Module+"-script", http.MethodPost, TestsPath(a.Module), "Test a script in the sandbox",
		rest.Rules(a.Rule), rest.SelfIdempotent(), rest.Status(http.StatusOK),
		rest.Doc("Nothing is saved. Whatever the script does is an answer with status 200; the answer comes when the script has ended.")),
		func(ctx context.Context, in *struct{ Body TestInput }) (*struct{ Body TestOutput }, error) {
			output, err := a.Tester.Test(ctx, a.Contexts, in.Body)
			return &struct{ Body TestOutput }{output}, err
		})
}

// Describe is what the tool getScriptContext of a module does: it asks the API, as the caller, and answers briefly.
func (a Authoring) Describe(ctx context.Context, c tool.Caller, of sdk.Context) (sdk.Description, error) {
	var out sdk.Description
	_, err := c.Client.Get(ctx, ContextsPath(a.Module)+"/"+string(of), &out)
	return out.Brief(), err
}

// Draft is what the tool testScript of any module takes. The module adds the context and the configuration, which it
// describes in its own words.
type Draft struct {
	Source        string            `json:"source" jsonschema:"minLength=1,maxLength=100000,description=The whole script."`
	SampleContext map[string]any    `json:"sampleContext,omitempty" jsonschema:"description=What the script is told. What is missing has a default and what the context does not know is left out."`
	Env           map[string]string `json:"env,omitempty" jsonschema:"description=Environment variables beside those of the context. TypeScript finds them in context.env."`
	TimeoutMs     int               `json:"timeoutMs,omitempty" jsonschema:"minimum=100,maximum=30000,default=10000,description=How long the script may run."`
}

// TestDraft is what the tool testScript of a module does: it asks the API, as the caller, and answers briefly. A nil
// config is none.
func (a Authoring) TestDraft(ctx context.Context, c tool.Caller, of sdk.Context, d Draft, config map[string]any) (TestOutput, error) {
	in := TestInput{Context: of, Source: d.Source, Env: d.Env, TimeoutMs: d.TimeoutMs}
	if config != nil {
		in.Config = config
	}
	if d.SampleContext != nil {
		in.SampleContext = d.SampleContext
	}
	var out TestOutput
	_, err := c.Client.Do(ctx, http.MethodPost, TestsPath(a.Module), in, &out)
	return out.Brief(), err
}
