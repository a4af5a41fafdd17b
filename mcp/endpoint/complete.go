package endpoint

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/problem"
	"countersign/tool"
)

// maxCompletions is the most that the protocol allows in an answer.
const maxCompletions = 100

// complete completes what a person has begun to type for the variable of a resource: names of records and of pages. What looks for
// some counts as a call.
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

// finders look for what completes each variable of a resource.
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
	if !known || !e.reads(ctx, variable) {
		return nil, false, nil
	}
	err = e.counted(ctx, completeDotted, tool.Read, map[string]string{"variable": variable, "typed": typed}, func() error {
		values, more, err = find(e, ctx, typed)
		return err
	})
	return values, more, err
}

// reads reports whether the principal could read a resource with this variable. For one who could not, nothing is looked for.
func (e *Endpoint) reads(ctx context.Context, variable string) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool {
		t, ok := e.Registry.Fixed(k.tool)
		return ok && k.variable() == variable && t.Authorize(exchangeOf(ctx).principal) == nil
	})
}

// slugsOf are the pages of the documentation whose addresses hold what was typed.
func (e *Endpoint) slugsOf(ctx context.Context, typed string) (slugs []string, more bool, err error) {
	pages, err := e.pages(ctx)
	for _, p := range pages {
		if strings.Contains(strings.ToLower(p.Slug), strings.ToLower(typed)) {
			slugs = append(slugs, p.Slug)
		}
	}
	return slugs[:min(len(slugs), maxCompletions)], len(slugs) > maxCompletions, unlessForbidden(err)
}

// namesOf are the names of records that hold what was typed.
func (e *Endpoint) namesOf(ctx context.Context, l list, typed string) (names []string, more bool, err error) {
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

// targetsOf are the ids of targets, which nobody knows by heart: those of the systems whose names hold what was typed, as far as the
// principal sees both, and the one target that was typed.
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

// unlessForbidden is err, nil when it is that the principal may not see what is looked for: then there is nothing.
func unlessForbidden(err error) error {
	if problem.Is(err, problem.Forbidden) {
		return nil
	}
	return err
}
