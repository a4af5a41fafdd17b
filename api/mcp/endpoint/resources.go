package endpoint

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/budget"
)

const (
	scheme = "countersign"
	// anyResource matches every address of the scheme; the handler finds the resource.
	anyResource  = scheme + "://{+rest}"
	jsonType     = "application/json"
	markdownType = "text/markdown"
	// recordsPage is the number of records on a page of resources, after the documentation pages.
	recordsPage = 100
)

// resourceType is a type of resource: one record, read by a tool. Reading it needs the rights of the tool and counts as its
// call.
type resourceType struct {
	// path follows the scheme, with the variable in braces.
	path, name, title, description, mime string
	tool                                 string
	// input builds the tool's input from the variable.
	input func(ctx context.Context, e *Endpoint, value string) (map[string]any, error)
	// watched is the REST address of the resource, "%v" for the variable; "" for an immutable one.
	watched string
}

// resourceTypes are the resource types. The first match of an address wins.
var resourceTypes = []resourceType{
	{
		path: "docs/{+slug}", name: "docs", title: "Documentation page", mime: markdownType, tool: "ai.getDoc",
		description: "A page of the product's documentation, by its slug.",
		input: func(_ context.Context, _ *Endpoint, slug string) (map[string]any, error) {
			return map[string]any{"slug": slug}, nil
		},
	},
	{
		path:        "systems/{system}/health",
		name:        "system-health",
		title:       "Health of a system",
		mime:        jsonType,
		tool:        "healthcheck.listSystemChecks",
		description: "How the checks of a system fare and why; by its id or name.",
		input:       byIDOrName("systemId", systemsList),
		watched:     "/api/healthcheck/systems/%v",
	},
	{
		path:        "systems/{system}",
		name:        "system",
		title:       "System",
		mime:        jsonType,
		tool:        "catalog.getSystem",
		description: "A system of the catalog with its owners, contacts and links; by its id or name.",
		input:       byIDOrName("id", systemsList),
		watched:     "/api/catalog/systems/%v",
	},
	{
		path: "targets/{target}/runs", name: "check-history", title: "Check history", mime: jsonType, tool: "healthcheck.runHistory",
		description: "The newest runs of a target; their ids stand in the health of a system.",
		input: func(_ context.Context, _ *Endpoint, target string) (map[string]any, error) {
			id, err := strconv.ParseInt(target, 10, 32)
			if err != nil {
				return nil, problem.Errorf(problem.NotFound, "There is no such target.")
			}
			return map[string]any{"targetId": id, "limit": 20}, nil
		},
		watched: "/api/healthcheck/targets/%v/runs?limit=1",
	},
	{
		path:        "checks/{check}",
		name:        "check",
		title:       "Health check",
		mime:        jsonType,
		tool:        "healthcheck.get",
		description: "A health check with its configuration; by its id or name.",
		input:       byIDOrName("id", checksList),
		watched:     "/api/healthcheck/checks/%v",
	},
}

// recordList is a list of records in the REST API.
type recordList struct{ path, member string }

var (
	systemsList = recordList{"/api/catalog/systems", "systems"}
	checksList  = recordList{"/api/healthcheck/checks", "checks"}
)

type record struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
}

// client is a REST client with the principal of the request.
func (e *Endpoint) client(ctx context.Context) *tool.Client {
	return e.Invoke.Callers.Caller(exchangeOf(ctx).principal, store.NewID()).Client
}

// records reads a page of a list, scrubbed of credentials like tool answers.
func (e *Endpoint) records(ctx context.Context, l recordList, query url.Values) (found []record, next string, err error) {
	var page map[string]json.RawMessage
	if _, err := e.client(ctx).Get(ctx, l.path+"?"+query.Encode(), &page); err != nil {
		return nil, "", err
	}
	if err := json.Unmarshal(page[l.member], &found); err != nil {
		return nil, "", err
	}
	for i := range found {
		found[i].Name, found[i].Description = scrub.Text(found[i].Name), scrub.Text(found[i].Description)
	}
	if cursor, ok := page["nextCursor"]; ok {
		err = json.Unmarshal(cursor, &next)
	}
	return found, next, err
}

// byIDOrName builds an input with the id of a record, which an address names by id or exact name.
func byIDOrName(member string, l recordList) func(context.Context, *Endpoint, string) (map[string]any, error) {
	return func(ctx context.Context, e *Endpoint, value string) (map[string]any, error) {
		if id, err := uuid.Parse(value); err == nil {
			return map[string]any{member: id}, nil
		}
		found, _, err := e.records(ctx, l, url.Values{"name": {value}, "limit": {"2"}})
		if err != nil {
			return nil, err
		}
		if len(found) != 1 {
			return nil, problem.Errorf(problem.NotFound, "There is not one record of this name.")
		}
		return map[string]any{member: found[0].ID}, nil
	}
}

// variable returns the name of the kind's variable.
func (k resourceType) variable() string {
	_, after, _ := strings.Cut(k.path, "{")
	return variableIn(after)
}

// variableIn returns the name of the variable in a template.
func variableIn(template string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(template, "+"), "}")
	return name
}

// match returns the variable's value in an address of this kind.
func (k resourceType) match(address string) (string, bool) {
	rest, ours := strings.CutPrefix(address, scheme+"://")
	before, after, _ := strings.Cut(k.path, "{")
	variable, behind, _ := strings.Cut(after, "}")
	value, fits := strings.CutPrefix(rest, before)
	if fits && behind != "" {
		value, fits = strings.CutSuffix(value, behind)
	}
	if !ours || !fits || value == "" || !strings.HasPrefix(variable, "+") && strings.Contains(value, "/") {
		return "", false
	}
	plain, err := url.PathUnescape(value)
	return plain, err == nil
}

func addressOf(k resourceType, value string) string {
	before, after, _ := strings.Cut(k.path, "{")
	variable, behind, _ := strings.Cut(after, "}")
	if !strings.HasPrefix(variable, "+") {
		value = url.PathEscape(value)
	}
	return scheme + "://" + before + value + behind
}

// usable returns the kinds whose tools the principal may use now.
func (e *Endpoint) usable(ctx context.Context) ([]resourceType, error) {
	tools, err := e.Invoke.Offered(ctx, exchangeOf(ctx).principal)
	if err != nil {
		return nil, err
	}
	offered := map[string]bool{}
	for _, t := range tools {
		offered[t.Name] = true
	}
	var found []resourceType
	for _, k := range resourceTypes {
		if offered[k.tool] {
			found = append(found, k)
		}
	}
	return found, nil
}

func (e *Endpoint) listTemplates(ctx context.Context) (*sdk.ListResourceTemplatesResult, error) {
	found, err := e.usable(ctx)
	if err != nil {
		return nil, e.rpcError(ctx, "resources/templates/list", err)
	}
	out := &sdk.ListResourceTemplatesResult{ResourceTemplates: []*sdk.ResourceTemplate{}, Cacheable: private()}
	for _, k := range found {
		out.ResourceTemplates = append(out.ResourceTemplates, &sdk.ResourceTemplate{
			Name: k.name, Title: k.title, Description: k.description, MIMEType: k.mime, URITemplate: scheme + "://" + k.path,
		})
	}
	return out, nil
}

func private() sdk.Cacheable { return sdk.Cacheable{TTLMs: listTTL, CacheScope: "private"} }

// listResources lists the documentation pages, then the systems that the principal sees. Each page counts as a call.
func (e *Endpoint) listResources(ctx context.Context, req *sdk.ListResourcesRequest) (out *sdk.ListResourcesResult, err error) {
	cursor := ""
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	err = e.runCounted(ctx, listDotted, tool.Read, map[string]string{"cursor": cursor}, func() error {
		out, err = e.resourcesAfter(ctx, cursor)
		return err
	})
	if err != nil {
		return nil, e.rpcError(ctx, "resources/list", err)
	}
	return out, nil
}

func (e *Endpoint) resourcesAfter(ctx context.Context, cursor string) (*sdk.ListResourcesResult, error) {
	found, err := e.usable(ctx)
	if err != nil {
		return nil, err
	}
	of := map[string]resourceType{}
	for _, k := range found {
		of[k.name] = k
	}
	docs, readsDocs := of["docs"]
	systems, readsSystems := of["system"]
	out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}, Cacheable: private()}
	if cursor == "" && readsDocs {
		pages, err := e.pages(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range pages {
			out.Resources = append(
				out.Resources,
				&sdk.Resource{URI: addressOf(docs, p.Slug), Name: p.Slug, Title: p.Title, Description: p.Description, MIMEType: docs.mime},
			)
		}
	}
	query := url.Values{"limit": {strconv.Itoa(recordsPage)}}
	if cursor != "" {
		after, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil {
			return nil, problem.UnknownCursor()
		}
		query.Set("cursor", string(after))
	}
	if !readsSystems {
		return out, nil
	}
	records, next, err := e.records(ctx, systemsList, query)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		out.Resources = append(out.Resources, &sdk.Resource{
			URI: addressOf(systems, r.ID.String()), Name: r.Name, Title: r.Name, Description: r.Description, MIMEType: systems.mime,
		})
	}
	if next != "" {
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(next))
	}
	return out, nil
}

type docPage struct {
	Slug        string `json:"slug"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// pages returns the documentation pages.
func (e *Endpoint) pages(ctx context.Context) ([]docPage, error) {
	var all struct {
		Pages []docPage `json:"pages"`
	}
	_, err := e.client(ctx).Get(ctx, "/api/docs", &all)
	return all.Pages, err
}

// readResource reads a resource by calling its tool.
func (e *Endpoint) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	ctx = audit.Via(ctx, audit.ByMCP)
	for _, k := range resourceTypes {
		value, ok := k.match(req.Params.URI)
		if !ok {
			continue
		}
		input, err := k.input(ctx, e, value)
		var contents *sdk.ResourceContents
		if err == nil {
			contents, err = e.contents(ctx, exchangeOf(ctx).principal, k, input)
		}
		if problem.Is(err, problem.NotFound) || problem.Is(err, problem.Invalid) {
			return nil, sdk.ResourceNotFoundError(req.Params.URI)
		}
		if err != nil {
			return nil, e.rpcError(ctx, "resources/read", err)
		}
		contents.URI = req.Params.URI
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{contents}, Cacheable: private()}, nil
	}
	return nil, sdk.ResourceNotFoundError(req.Params.URI)
}

// contents calls the tool of a kind; a documentation page is returned as Markdown.
func (e *Endpoint) contents(
	ctx context.Context,
	p principal.Principal,
	k resourceType,
	input map[string]any,
) (*sdk.ResourceContents, error) {
	out := &sdk.ResourceContents{MIMEType: k.mime}
	for {
		raw, err := json.Marshal(input)
		if err != nil {
			return nil, err
		}
		answer, err := e.Invoke.Call(ctx, p, budget.MCP, k.tool, raw, "", "")
		if err != nil {
			return nil, err
		}
		if answer.Output.Untrusted {
			out.Meta = sdk.Meta{MetaUntrusted: true}
		}
		if k.mime != markdownType {
			out.Text = string(answer.Output.JSON)
			return out, nil
		}
		var part struct {
			Content    string `json:"content"`
			NextOffset int    `json:"nextOffset"`
		}
		if err := json.Unmarshal(answer.Output.JSON, &part); err != nil {
			return nil, err
		}
		out.Text += part.Content
		if part.NextOffset == 0 {
			return out, nil
		}
		input["offset"] = part.NextOffset
	}
}
