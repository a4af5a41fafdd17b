package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	generate "github.com/invopop/jsonschema"

	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/tool"
)

// FromToolOptions describe an action that makes the write of a tool.
type FromToolOptions struct {
	ID, Name, Description, Category string
	// Config is the schema of the config; that of the tool's input by default.
	Config json.RawMessage
	// Members are members of the config that differ from those of the input in name or description.
	Members []Member
	// Complete adds to an input what a config may leave out; nil for nothing.
	Complete func(input map[string]json.RawMessage) error
	Produces []Product
	Consumes []string
	// Done says in the past tense what a call did; the title or the name of the answer follows it.
	Done string
}

// Member is the member Name of a config, which is Input in the tool's input.
type Member struct{ Name, Input, Description string }

// Product is an artifact type with the function that reads its values from the answer of the REST API.
type Product struct {
	Type ArtifactType
	from func(answer json.RawMessage) (any, error)
}

// NewProduct makes a Product of a type whose values are V.
func NewProduct[Answer, V any](t ArtifactType, from func(answer Answer) V) Product {
	return Product{t, func(raw json.RawMessage) (any, error) {
		var answer Answer
		if err := json.Unmarshal(raw, &answer); err != nil {
			return nil, fmt.Errorf("read answer for the artifact %s: %w", t.ID, err)
		}
		return from(answer), nil
	}}
}

// FromTool makes an action of a tool that changes something: its config is the tool's input, its rules and effect are the
// tool's, and a call makes the tool's request as the application, with the key of the call, so that the REST API makes the
// change once. No revision is sent: a run acts on the record as it is now. The output is that of the tool. It panics for a
// tool that makes no request of its own, which a start of the product would show.
func FromTool(t tool.Tool, o FromToolOptions) Action {
	if t.Effect != tool.Mutate {
		panic(fmt.Sprintf("action %s: %s is %s and offered to no automation", o.ID, t.Name, t.Effect))
	}
	f := fromTool{t, o}
	a := Action{
		ID: o.ID, Name: o.Name, Description: o.Description, Category: o.Category, Consumes: o.Consumes,
		Rules: t.Rules, Effect: t.Effect, Config: f.schema(), DryRun: f.dryRun, Do: f.do,
	}
	for _, p := range o.Produces {
		a.Produces = append(a.Produces, p.Type)
	}
	return Permitted(a)
}

type fromTool struct {
	tool.Tool

	options FromToolOptions
}

// schema is the schema of the config, with its names and descriptions.
func (f fromTool) schema() json.RawMessage {
	raw := f.options.Config
	if raw == nil {
		raw = f.Input.JSON()
	}
	if len(f.options.Members) == 0 {
		return raw
	}
	var s generate.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(fmt.Sprintf("action %s: schema: %v", f.options.ID, err))
	}
	members := generate.NewProperties()
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		name, member := pair.Key, pair.Value
		for _, m := range f.options.Members {
			if m.Input == pair.Key {
				name = m.Name
				if m.Description != "" {
					member.Description = m.Description
				}
			}
		}
		members.Set(name, member)
	}
	s.Properties = members
	for i, name := range s.Required {
		s.Required[i] = f.shown(name)
	}
	written, err := json.Marshal(&s)
	if err != nil {
		panic(fmt.Sprintf("action %s: schema: %v", f.options.ID, err))
	}
	return written
}

// shown is the name of a member of the input in the config; of a path, it replaces the first part.
func (f fromTool) shown(path string) string {
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	for _, m := range f.options.Members {
		if m.Input == path[:end] {
			return m.Name + path[end:]
		}
	}
	return path
}

func (f fromTool) inputName(name string) string {
	for _, m := range f.options.Members {
		if m.Name == name {
			return m.Input
		}
	}
	return name
}

// input converts a config to a valid input of the tool.
func (f fromTool) input(ctx context.Context, config json.RawMessage) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(config, &members); err != nil {
		return nil, problem.InvalidInput("The config must be a JSON object.")
	}
	input := make(map[string]json.RawMessage, len(members))
	for name, value := range members {
		input[f.inputName(name)] = value
	}
	for _, m := range f.options.Members {
		if _, given := members[m.Input]; given && m.Name != m.Input {
			return nil, problem.InvalidInput("The config has a member that the action does not have.",
				problem.Issue{Path: m.Input, Message: "is called " + m.Name})
		}
	}
	if f.options.Complete != nil {
		if err := f.options.Complete(input); err != nil {
			return nil, err
		}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return nil, fmt.Errorf("encode input of %s: %w", f.Name, err)
	}
	if err := f.Input.Validate(ctx, raw); err != nil {
		return nil, misfit(f.named(err))
	}
	return f.Input.Normalize(raw)
}

// named is a problem with the names of the config in its paths.
func (f fromTool) named(err error) error {
	e, ok := errors.AsType[*problem.Error](err)
	if !ok || len(e.Issues) == 0 {
		return err
	}
	shown := *e
	shown.Issues = make([]problem.Issue, len(e.Issues))
	for i, issue := range e.Issues {
		shown.Issues[i] = problem.Issue{Path: f.shown(issue.Path), Message: issue.Message}
	}
	return &shown
}

func (f fromTool) dryRun(ctx context.Context, c Call) (Preview, error) {
	input, err := f.input(ctx, c.Config)
	if err != nil {
		return Preview{}, err
	}
	p, err := f.DryRun(ctx, c.Caller, input)
	return Preview{Summary: p.Summary, Effects: p.Effects}, f.named(err)
}

func (f fromTool) do(ctx context.Context, c Call) (Result, error) {
	input, err := f.input(ctx, c.Config)
	if err != nil {
		return Result{}, err
	}
	r, ok, err := f.RequestOf(input)
	if err != nil || !ok {
		return Result{}, errors.Join(err, fmt.Errorf("action %s: no request of %s", f.options.ID, f.Name))
	}
	client := *c.Caller.Client
	client.IdempotencyKey, client.IfMatch = c.Key, ""
	answer := json.RawMessage("null")
	if _, err := client.Do(ctx, r.Method, r.Path, r.Body, &answer); err != nil {
		return Result{}, f.named(err)
	}
	if err := waits(f.Name, answer); err != nil {
		return Result{}, err
	}
	return f.result(ctx, c, input, answer)
}

// waits refuses the answer of a write that a policy made a proposal of.
func waits(name string, answer json.RawMessage) error {
	var proposed struct {
		ProposalID uuid.UUID `json:"proposalId"`
		Status     string    `json:"status"`
		Link       string    `json:"link"`
	}
	_ = json.Unmarshal(answer, &proposed) // an answer of another form is no proposal
	if proposed.ProposalID == uuid.Nil || proposed.Status != "proposed" {
		return nil
	}
	return problem.Errorf(problem.Conflict, "The policy of %s asks for a person's decision, so nothing has changed yet: the change "+
		"waits as a proposal at %s. A run does not wait for it; change the policy, or leave this step to a person.", name, proposed.Link)
}

// result reads output and artifacts from the answer to a request.
func (f fromTool) result(ctx context.Context, c Call, input, answer json.RawMessage) (Result, error) {
	caller := c.Caller
	// The code of the tool forms its output from the recorded answer, and makes no request.
	caller.Client = &tool.Client{RecordedAnswer: answer}
	output, err := f.Run(ctx, caller, input)
	if err != nil {
		return Result{}, fmt.Errorf("output of %s: %w", f.Name, err)
	}
	result := Result{Summary: f.summary(answer), Artifacts: map[string]json.RawMessage{}}
	if result.Output, err = encoded(output); err != nil {
		return Result{}, fmt.Errorf("encode output of %s: %w", f.Name, err)
	}
	if len(result.Output) > MaxOutput {
		result.Output = json.RawMessage(`{}`)
		result.Summary += ". Its output is over the limit and was left out."
	}
	for _, p := range f.options.Produces {
		value, err := p.from(answer)
		if err == nil {
			result.Artifacts[p.Type.ID], err = encoded(value)
		}
		if err != nil {
			return Result{}, err
		}
	}
	return result, nil
}

// summary says what was done, with the name of the record.
func (f fromTool) summary(answer json.RawMessage) string {
	var record struct {
		Title   string `json:"title"`
		Name    string `json:"name"`
		Changed *bool  `json:"changed"`
		Created *bool  `json:"created"`
		Updated bool   `json:"updated"`
	}
	_ = json.Unmarshal(answer, &record) // an answer that is no such object has no name
	done := f.options.Done
	switch {
	case record.Changed != nil && !*record.Changed:
		done = "Nothing to do for"
	case record.Created != nil && !*record.Created && record.Updated:
		done = "Updated"
	case record.Created != nil && !*record.Created:
		done = "Found"
	}
	name := record.Title + record.Name
	return text.Shown(strings.TrimSpace(done+" "+name), tool.MaxSummary)
}

// encoded is a value as JSON, in which <, > and & stay.
func encoded(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}
