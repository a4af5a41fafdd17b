package endpoint

import (
	"context"
	"encoding/base64"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/internal/problem"
)

// everyPrompt is the placeholder prompt that the library knows, as everyTool for tools.
const (
	placeholderPrompt = "any"
	skillsPath        = "/api/ai/skills"
	// requestArgument is the argument for the person's request.
	requestArgument = "request"
	maxRequest      = 8_000
)

// skill holds the fields of a skill that a prompt needs.
type skill struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Description    string `json:"description"`
	Source         string `json:"source"`
	OwnerID        string `json:"ownerId"`
	SystemPrompt   string `json:"systemPrompt"`
	PromptTemplate string `json:"promptTemplate"`
}

// listPrompts lists the built-in skills and those of the principal. Skills of other users are no prompts: a client
// would give them to its model as the person's words (prompt injection).
func (e *Endpoint) listPrompts(ctx context.Context, req *sdk.ListPromptsRequest) (*sdk.ListPromptsResult, error) {
	cursor := ""
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	out, err := e.promptsAfter(ctx, cursor)
	if err != nil {
		return nil, e.rpcError(ctx, "prompts/list", err)
	}
	return out, nil
}

// promptsAfter returns a page of the list of prompts.
func (e *Endpoint) promptsAfter(ctx context.Context, cursor string) (*sdk.ListPromptsResult, error) {
	out := &sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}, Cacheable: private()}
	own := url.Values{"target": {"chat"}, "source": {"own"}}
	if cursor == "" {
		builtin, _, err := e.skills(ctx, url.Values{"target": {"chat"}, "source": {"builtin"}, "limit": {"200"}})
		if problem.Is(err, problem.Forbidden) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		addPrompts(out, builtin)
	} else {
		after, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil {
			return nil, problem.UnknownCursor()
		}
		own.Set("cursor", string(after))
	}
	found, next, err := e.skills(ctx, own)
	if err != nil {
		return nil, err
	}
	addPrompts(out, found)
	if next != "" {
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(next))
	}
	return out, nil
}

func addPrompts(out *sdk.ListPromptsResult, skills []skill) {
	for _, s := range skills {
		out.Prompts = append(out.Prompts, &sdk.Prompt{Name: s.ID, Title: s.Name, Description: s.Description, Arguments: []*sdk.PromptArgument{
			{Name: requestArgument, Title: "Request", Description: "What you want, in your words"},
		}})
	}
}

func (e *Endpoint) skills(ctx context.Context, query url.Values) ([]skill, string, error) {
	var page struct {
		Skills     []skill `json:"skills"`
		NextCursor string  `json:"nextCursor"`
	}
	_, err := e.client(ctx).Get(ctx, skillsPath+"?"+query.Encode(), &page)
	return page.Skills, page.NextCursor, err
}

// getPrompt returns the text of a skill.
func (e *Endpoint) getPrompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	name, _ := ctx.Value(nameKey{}).(string)
	var s skill
	_, err := e.client(ctx).Get(ctx, skillsPath+"/"+url.PathEscape(name), &s)
	p := exchangeOf(ctx).principal
	if err == nil && s.Source != "builtin" && s.OwnerID != p.ID.String() {
		err = problem.Errorf(problem.NotFound, "There is no such prompt.")
	}
	request := req.Params.Arguments[requestArgument]
	if err == nil && len(request) > maxRequest {
		err = problem.InvalidInput("The request is too long.", problem.Issue{Path: requestArgument, Message: "has more than 8000 bytes"})
	}
	if err != nil {
		return nil, e.rpcError(ctx, "prompts/get", err)
	}
	var parts []string
	for _, text := range []string{s.SystemPrompt, s.PromptTemplate, request} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return &sdk.GetPromptResult{Description: s.Description, Messages: []*sdk.PromptMessage{
		{Role: "user", Content: &sdk.TextContent{Text: strings.Join(parts, "\n\n")}},
	}}, nil
}
