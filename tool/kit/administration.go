package kit

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/text/strictjson"
	"countersign/tool"
)

// Sealer encrypts values for the database and binds them to associated data.
type Sealer interface {
	Seal(plaintext, associated []byte) ([]byte, error)
	Open(sealed, associated []byte) ([]byte, error)
}

// Administration is a hidden tool for an administrative operation of the API: policies name it, and a request that
// needs a decision becomes its proposal. Its input holds the path parameters and the members of the body.
type Administration struct {
	tool.Definition
	// Parameters are the names of the path parameters in the input, in their order.
	Parameters []string
	// Body reports whether the operation takes a body.
	Body bool
	// Record is the path template whose GET returns the affected record, "" for none; Replaces reports that the body
	// replaces members of that record.
	Record   string
	Replaces bool
	// Revised reports that the operation checks the revision of Record, although its own path is another one.
	Revised bool
	// Subject is the path template of the record whose name people know, "" for that of Record.
	Subject string
	// Consequence names, for people, what a destructive operation removes besides.
	Consequence string
	Input       tool.Schema
	Sealer      Sealer
}

// Administered is the output of a proposed administrative operation. Answer may hold a value that is shown once.
type Administered struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// NewAdministration makes the tool of an administrative operation. Without Operation it stands for its
// RelatedOperations, which cannot be proposed.
func NewAdministration(a Administration) tool.Tool {
	d := a.Definition
	d.Access.Hidden, d.Policy.PersonDecides = true, d.Policy.ByHand
	d.Impact.Cascade = tool.CascadeNone
	if d.Effect == tool.Destructive {
		d.Impact.Cascade = tool.CascadeOthers
	}
	d.Policy.Rehearsed = !d.Impact.External
	d.Schema.SealedInput = slices.Clone(d.Schema.SealedInput)
	if a.Record != "" {
		d.Access.Targets = func(payload json.RawMessage) ([]tool.Target, error) {
			var input map[string]json.RawMessage
			if err := json.Unmarshal(payload, &input); err != nil {
				return nil, fmt.Errorf("read the input of %s: %w", d.Name, err)
			}
			at, err := a.at(a.Record, input)
			return []tool.Target{{Path: at, Level: access.View}}, err
		}
	} else {
		d.Access.Targets = func(json.RawMessage) ([]tool.Target, error) { return nil, nil }
	}
	a.Definition = d
	code := tool.Implementation{
		Input: a.Input, Output: SchemaOf[Administered](), Run: a.run,
		DryRun: func(ctx context.Context, c tool.Caller, input json.RawMessage) (tool.Proposed, error) {
			p, err := a.preview(ctx, c, input)
			if err != nil {
				return tool.Proposed{}, err
			}
			return p.proposed(d)
		},
	}
	if d.Operations.Write.Method != "" {
		code.InputOf, code.RequestOf = a.inputOf, a.requestOf
	}
	return tool.New(d, code)
}

// run makes the request of a decided proposal.
func (a Administration) run(ctx context.Context, c tool.Caller, input json.RawMessage) (any, error) {
	r, err := a.requestOf(input)
	if err != nil {
		return nil, err
	}
	if body, ok := r.Body.(map[string]json.RawMessage); ok {
		if err := a.open(body); err != nil {
			return nil, err
		}
	}
	var answer struct {
		ID   any    `json:"id"`
		Name string `json:"name"`
	}
	if _, err := c.Client.Do(ctx, r.Method, r.Path, r.Body, &answer); err != nil {
		return nil, err
	}
	id, _ := answer.ID.(string)
	return Administered{ID: id, Name: answer.Name}, nil
}

// inputOf is the InputOf of the tool.
func (a Administration) inputOf(values []string, body []byte) (json.RawMessage, error) {
	input := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := strictjson.DecodeNumbers(body, &input); err != nil || input == nil {
			return nil, problem.InvalidInput("The request body does not fit the operation. Send one JSON object " +
				"with the members that it knows.")
		}
	}
	if len(values) != len(a.Parameters) {
		return nil, fmt.Errorf("%s: %d parameters instead of %d", a.Operations.Write, len(values), len(a.Parameters))
	}
	for i, name := range a.Parameters {
		plain, err := url.PathUnescape(values[i])
		if err != nil {
			return nil, problem.InvalidInput("The address is not valid.", problem.Issue{Path: name, Message: "is not valid"})
		}
		if _, taken := input[name]; taken {
			return nil, problem.InvalidInput("The request body does not fit the operation.",
				problem.Issue{Path: name, Message: "is not expected"})
		}
		if input[name], err = json.Marshal(plain); err != nil {
			return nil, fmt.Errorf("read a parameter of %s: %w", a.Operations.Write, err)
		}
	}
	return tool.Canonical(input)
}

// requestOf is the RequestOf of the tool. Sealed members stay sealed.
func (a Administration) requestOf(input json.RawMessage) (tool.Request, error) {
	var members map[string]json.RawMessage
	if err := strictjson.DecodeNumbers(input, &members); err != nil {
		return tool.Request{}, fmt.Errorf("read the input of %s: %w", a.Name, err)
	}
	path, err := a.at(a.Operations.Write.Path, members)
	if err != nil {
		return tool.Request{}, err
	}
	r := tool.Request{Method: a.Operations.Write.Method, Path: path}
	if a.Body {
		body := maps.Clone(members)
		for _, name := range a.Parameters {
			delete(body, name)
		}
		r.Body = body
	}
	return r, nil
}

// at fills the parameters into a path template that begins as the operation's does.
func (a Administration) at(template string, input map[string]json.RawMessage) (string, error) {
	parts, n := strings.Split(template, "/"), 0
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") {
			continue
		}
		var value string
		if n >= len(a.Parameters) || json.Unmarshal(input[a.Parameters[n]], &value) != nil {
			return "", problem.InvalidInput("The input does not name what it is about.")
		}
		parts[i] = url.PathEscape(value)
		n++
	}
	return strings.Join(parts, "/"), nil
}

// sealedPrefix marks a secret that a proposal keeps encrypted.
const sealedPrefix = "sealed:"

// seal encrypts the secrets of an input so that only this tool can open them, and returns their names.
func (a Administration) seal(input map[string]json.RawMessage) ([]string, error) {
	var sealed []string
	for _, name := range a.Schema.SealedInput {
		raw, given := input[name]
		if !given || string(raw) == "null" || string(raw) == `""` {
			continue
		}
		if a.Sealer == nil {
			return nil, errors.New("seal a secret of a proposal: no key")
		}
		value, err := a.Sealer.Seal(raw, a.associated(name))
		if err != nil {
			return nil, fmt.Errorf("seal a secret of a proposal: %w", err)
		}
		if input[name], err = json.Marshal(sealedPrefix + base64.StdEncoding.EncodeToString(value)); err != nil {
			return nil, fmt.Errorf("seal a secret of a proposal: %w", err)
		}
		sealed = append(sealed, name)
	}
	return sealed, nil
}

func (a Administration) associated(member string) []byte {
	return []byte("proposal/" + a.Name + "/" + member)
}

// open decrypts the secrets of a payload.
func (a Administration) open(body map[string]json.RawMessage) error {
	for _, name := range a.Schema.SealedInput {
		var text string
		if json.Unmarshal(body[name], &text) != nil {
			continue
		}
		encoded, sealed := strings.CutPrefix(text, sealedPrefix)
		if !sealed || a.Sealer == nil {
			continue
		}
		value, err := base64.StdEncoding.DecodeString(encoded)
		if err == nil {
			value, err = a.Sealer.Open(value, a.associated(name))
		}
		if err != nil {
			return problem.Errorf(problem.Conflict, "The secret in this proposal cannot be read any more. Make the request again.")
		}
		body[name] = value
	}
	return nil
}

// preview builds the summary and the diff for the decider.
func (a Administration) preview(ctx context.Context, c tool.Caller, raw json.RawMessage) (Preview[json.RawMessage], error) {
	var p Preview[json.RawMessage]
	var input map[string]json.RawMessage
	if err := strictjson.DecodeNumbers(raw, &input); err != nil {
		return p, problem.InvalidInput("The input must be a JSON object.")
	}
	p.Summary = a.Identity.Title
	var live map[string]any
	if a.Record != "" {
		path, err := a.at(a.Record, input)
		if err != nil {
			return p, err
		}
		etag, err := c.Client.Get(ctx, path, &live)
		if err != nil && !problem.Is(err, problem.Forbidden) {
			return p, err
		}
		if a.Replaces || a.Revised || a.Operations.Write.Method == http.MethodDelete && a.Record == a.Operations.Write.Path {
			p.Revision = etag
		}
	}
	subject := live
	if a.Subject != "" && a.Subject != a.Record {
		path, err := a.at(a.Subject, input)
		if err != nil {
			return p, err
		}
		if _, err := c.Client.Get(ctx, path, &subject); err != nil && !problem.Is(err, problem.Forbidden) {
			return p, err
		}
	}
	if name := calledIn(subject, input, a.Parameters); name != "" {
		p.Summary += ": " + name
	}
	sealed, err := a.seal(input)
	if err != nil {
		return p, err
	}
	if p.Payload, err = tool.Canonical(input); err != nil {
		return p, fmt.Errorf("write the input of %s: %w", a.Name, err)
	}
	p.Diff, err = a.diff(live, input, sealed)
	if a.Effect == tool.Destructive && a.Consequence != "" {
		p.Effects = []string{a.Consequence}
	}
	return p, err
}

// calledIn returns the name of the affected record, or of the one to create.
func calledIn(live map[string]any, input map[string]json.RawMessage, parameters []string) string {
	for _, member := range []string{"name", "title", "slug", "email"} {
		if name, ok := live[member].(string); ok && name != "" {
			return name
		}
	}
	var name string
	if live == nil && json.Unmarshal(input["name"], &name) == nil && name != "" {
		return name
	}
	if len(parameters) > 0 && json.Unmarshal(input[parameters[len(parameters)-1]], &name) == nil {
		return name
	}
	return ""
}

// diff compares the members of the body with those of the record.
func (a Administration) diff(live map[string]any, input map[string]json.RawMessage, sealed []string) ([]tool.Change, error) {
	if !a.Body {
		return nil, nil
	}
	before, after := map[string]any{}, map[string]any{}
	for name, raw := range input {
		if slices.Contains(a.Parameters, name) {
			continue
		}
		if slices.Contains(sealed, name) {
			after[name] = "a new value"
			continue
		}
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, fmt.Errorf("read the input of %s: %w", a.Name, err)
		}
		after[name] = keyed(value)
		if a.Replaces {
			before[name] = narrowed(keyed(live[name]), after[name])
		}
	}
	return Diff(before, after)
}

// keyed turns lists of records into objects by id, so that a diff shows the one record that changes.
func keyed(value any) any {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		return value
	}
	records := map[string]any{}
	for _, one := range list {
		record, ok := one.(map[string]any)
		id, named := record["id"].(string)
		if !ok || !named {
			return value
		}
		if _, twice := records[id]; twice {
			return value
		}
		rest := maps.Clone(record)
		delete(rest, "id")
		records[id] = rest
	}
	return records
}

// narrowed keeps the members of an object that another has too: a partial body says nothing about the rest.
func narrowed(value, like any) any {
	object, ok := value.(map[string]any)
	pattern, also := like.(map[string]any)
	if !ok || !also {
		return value
	}
	some := map[string]any{}
	for name, inside := range pattern {
		if before, there := object[name]; there {
			some[name] = narrowed(before, inside)
		}
	}
	return some
}
