package endpoint

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/internal/problem"
	"countersign/tool"
)

// maxCompletions is the protocol's limit per answer.
const maxCompletions = 100

// complete completes a partly typed resource variable with names of records or pages. A completion that searches
// records counts as a call.
func (e *Endpoint) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	values, more, err := e.completions(ctx, req.Params)
	if err != nil {
		return nil, e.rpcError(ctx, "completion/complete", err)
	}
	if values == nil {
		values = []string{}
	}
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values, HasMore: more}}, nil
}

// finders find the completions of each resource variable.
var finders = map[string]func(e *Endpoint, ctx context.Context, typed string) (values []string, more bool, err error){
	"slug": (*Endpoint).slugsOf,
	"system": func(e *Endpoint, ctx context.Context, typed string) ([]string, bool, error) {
		return e.namesOf(ctx, systemsList, typed)
	},
	"check": func(e *Endpoint, ctx context.Context, typed string) ([]string, bool, error) {
		return e.namesOf(ctx, checksList, typed)
	},
	"target": (*Endpoint).targetsOf,
}

func (e *Endpoint) completions(ctx context.Context, params *sdk.CompleteParams) (values []string, more bool, err error) {
	typed := params.Argument.Value
	variable := ""
	if _, after, found := strings.Cut(params.Ref.URI, "{"); found {
		variable = variableIn(after)
	}
	if params.Ref.Type != "ref/resource" || variable != params.Argument.Name || len(typed) > 200 {
		return nil, false, nil
	}
	find, known := finders[variable]
	if !known || !e.canRead(ctx, variable) {
		return nil, false, nil
	}
	err = e.runCounted(ctx, completeDotted, tool.Read, map[string]string{"variable": variable, "typed": typed}, func() error {
		values, more, err = find(e, ctx, typed)
		return err
	})
	return values, more, err
}

// canRead reports whether the principal may read a resource with this variable. Others get no completions.
func (e *Endpoint) canRead(ctx context.Context, variable string) bool {
	return slices.ContainsFunc(resourceTypes, func(k resourceType) bool {
		t, ok := e.Registry.Fixed(k.tool)
		return ok && k.variable() == variable && t.Authorize(exchangeOf(ctx).principal) == nil
	})
}

// slugsOf returns the documentation pages whose slug contains the typed text.
func (e *Endpoint) slugsOf(ctx context.Context, typed string) (slugs []string, more bool, err error) {
	pages, err := e.pages(ctx)
	for _, p := range pages {
		if strings.Contains(strings.ToLower(p.Slug), strings.ToLower(typed)) {
			slugs = append(slugs, p.Slug)
		}
	}
	return slugs[:min(len(slugs), maxCompletions)], len(slugs) > maxCompletions, unlessForbidden(err)
}

// namesOf returns the names of records that contain the typed text.
func (e *Endpoint) namesOf(ctx context.Context, l recordList, typed string) (names []string, more bool, err error) {
	query := url.Values{"limit": {strconv.Itoa(maxCompletions)}}
	if typed != "" {
		query.Set("query", typed)
	}
	found, next, err := e.records(ctx, l, query)
	for _, r := range found {
		if strings.Contains(strings.ToLower(r.Name), strings.ToLower(typed)) {
			names = append(names, r.Name)
		}
	}
	return names, next != "", unlessForbidden(err)
}

// targetsOf returns ids of targets: those of the systems whose names contain the typed text, as far as the principal
// sees both, and the typed target itself.
func (e *Endpoint) targetsOf(ctx context.Context, typed string) (ids []string, more bool, err error) {
	var found struct {
		Targets []struct {
			ID int32 `json:"id"`
		} `json:"targets"`
		More bool `json:"more"`
	}
	query := url.Values{"limit": {strconv.Itoa(maxCompletions)}, "query": {typed}}
	if _, err := e.client(ctx).Get(ctx, "/api/healthcheck/targets?"+query.Encode(), &found); err != nil {
		return nil, false, unlessForbidden(err)
	}
	for _, target := range found.Targets {
		ids = append(ids, strconv.Itoa(int(target.ID)))
	}
	return ids, found.More, nil
}

// unlessForbidden drops a permission error: the result is empty then.
func unlessForbidden(err error) error {
	if problem.Is(err, problem.Forbidden) {
		return nil
	}
	return err
}
