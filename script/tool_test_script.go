package script

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/kit"
)

type draftInput struct {
	contextInput
	Source         string            `json:"source" jsonschema:"minLength=1,maxLength=100000,description=The whole script."`
	SampleContext  map[string]any    `json:"sampleContext,omitempty" jsonschema:"description=What the script is told. What is missing has a default and what the context does not know is left out."`
	Env            map[string]string `json:"env,omitempty" jsonschema:"description=Environment variables beside those of the context. TypeScript finds them in context.env."`
	TimeoutMs      int               `json:"timeoutMs,omitempty" jsonschema:"minimum=100,maximum=30000,default=30000,description=How long the script may run."`
	WithoutNetwork bool              `json:"withoutNetwork,omitempty" jsonschema:"description=Run it without a network. Nobody has to approve that."`
	Config         map[string]any    `json:"config,omitempty"`

	// Only the page of scripts sends the members below.
	SecretEnv       map[string]string `json:"secretEnv,omitempty"`
	CheckTypes      *bool             `json:"checkTypes,omitempty"`
	StopOnTypeError bool              `json:"stopOnTypeError,omitempty"`
}

// Targets implements tool.Targeted: a test concerns no record of the product.
func (draftInput) Targets() []tool.Target { return nil }

// test returns the posted input. An absent member is nil, where an empty map would become an object.
func (in draftInput) test() TestInput {
	t := TestInput{
		Context: in.Context, Source: in.Source, Env: in.Env, TimeoutMs: in.TimeoutMs, WithoutNetwork: in.WithoutNetwork,
		SecretEnv: in.SecretEnv, CheckTypes: in.CheckTypes, StopOnTypeError: in.StopOnTypeError,
	}
	if in.Config != nil {
		t.Config = in.Config
	}
	if in.SampleContext != nil {
		t.SampleContext = in.SampleContext
	}
	return t
}

// toolName is the tool that stands for the operation of tests.
func (a Authoring) toolName() string { return a.Module + ".testScript" }

// A script with a network acts on other systems, so its test is a change. Without one it only computes.
func (a Authoring) testScriptTool() tool.Tool {
	d := kit.Define(a.Texts, a.toolName(), tool.Mutate, a.Rule)
	d.Impact.External, d.Impact.EffectByInput, d.Timeout = true, true, tool.MaxTimeout
	d.Schema.HiddenInput = []string{"secretEnv", "checkTypes", "stopOnTypeError"}
	t := kit.NewWrite(d, a.proposeTest,
		func(in draftInput) tool.Request { return kit.Post(TestsPath(a.Module), in.test()) },
		TestOutput.Brief)
	t.Input = kit.SchemaOf[draftInput](a.refine)
	return t.LeavesWhen(tool.Leaving{Why: func(ctx context.Context, c tool.Caller, input json.RawMessage) (string, error) {
		var in draftInput
		if err := json.Unmarshal(input, &in); err != nil {
			return "", nil //nolint:nilerr // the call reports the faults of its input
		}
		if allowed, err := a.network(ctx, c, in); err != nil || !allowed {
			return "", err
		}
		return "The script can reach the network, so it can send what this conversation holds to others.", nil
	}})
}

// network reports whether a test has network access.
func (a Authoring) network(ctx context.Context, c tool.Caller, in draftInput) (bool, error) {
	if in.WithoutNetwork {
		return false, nil
	}
	var network NetworkState
	_, err := c.Client.Get(ctx, NetworkPath(a.Module), &network)
	return network.Allowed, err
}

// maxExcerpt bounds the characters of a script shown beside the whole.
const maxExcerpt = 400

func (a Authoring) proposeTest(ctx context.Context, c tool.Caller, in draftInput) (kit.Preview[draftInput], error) {
	p := kit.Preview[draftInput]{Summary: "Test a script without a network", Payload: in, Effect: tool.Read}
	if _, err := parseContext(string(in.Context), a.Contexts); err != nil {
		return p, err
	}
	// People decide by the visible part of a script.
	var v problem.Issues
	text.Lines(&v, "source", in.Source, 100_000)
	if err := v.Err(); err != nil {
		return p, err
	}
	allowed, err := a.network(ctx, c, in)
	if err != nil || !allowed {
		return p, err
	}
	source := []rune(strings.TrimSpace(in.Source))
	begins := string(source[:min(len(source), maxExcerpt)])
	p.Summary, p.Effect = "Test a script that can reach the network", ""
	p.Effects = []string{
		fmt.Sprintf("It runs a script of %d lines, which can send anything that the script policy allows: %s",
			strings.Count(string(source), "\n")+1, begins),
		"It runs once. What it changes where it goes is not known here, and cannot be taken back.",
	}
	return p, nil
}
