package audit

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/principal"
	"countersign/rest"
)

// FilterInput is the filter as query parameters.
type FilterInput struct {
	From      time.Time `query:"from" doc:"Calls made at this time or later"`
	To        time.Time `query:"to" doc:"Calls made before this time"`
	Principal string    `query:"principal" format:"uuid" doc:"Who called or decided"`
	Transport string    `query:"transport" enum:"chat,mcp,automation,api"`
	Tool      string    `query:"tool" maxLength:"100" doc:"The full name, such as catalog.createSystem"`
	Effect    string    `query:"effect" enum:"read,mutate,destructive"`
	Status    string    `query:"status" enum:"running,executed,failed,refused,proposed,applying,applied,declined,expired,skipped"`
	Text      string    `query:"text" maxLength:"200" doc:"Part of a tool's name, an error code or the caller's name; or a whole id or hash"`
	Mine      bool      `query:"mine" doc:"Only your own calls; needs no rule but ai.chat.read"`
}

func (in FilterInput) filter() Filter {
	id, _ := uuid.Parse(in.Principal)
	return Filter{
		From: in.From, To: in.To, PrincipalID: id, Transport: in.Transport, ToolName: in.Tool, Effect: in.Effect, Status: in.Status,
		Text: in.Text, Mine: in.Mine,
	}
}

type callList struct {
	Body struct {
		Calls      []Call `json:"calls" nullable:"false"`
		NextCursor string `json:"nextCursor,omitempty" doc:"Ask with it for the next page; absent on the last one."`
	}
}

// Routes declares the operations of this package.
func (l *Log) Routes(api huma.API) {
	const path = "/api/ai/audit"
	needs := rest.Doc("Needs " + Read + ", or mine=true and " + l.chat + ".")
	huma.Register(api, rest.Op("list-tool-calls", http.MethodGet, path, "List tool calls", needs, rest.Doc("Newest first.")),
		func(ctx context.Context, in *struct {
			FilterInput
			Cursor string `query:"cursor" maxLength:"200" doc:"nextCursor of the page before."`
			Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
		}) (*callList, error) {
			out := &callList{}
			var err error
			out.Body.Calls, out.Body.NextCursor, err = l.Calls(ctx, principal.FromContext(ctx), in.filter(), in.Cursor, in.Limit)
			return out, err
		})
	huma.Register(api, rest.Op("export-tool-calls", http.MethodGet, path+"/export", "Export tool calls", needs), l.exportRoute)
	huma.Register(api, rest.Op("get-audit-verification", http.MethodGet, path+"/verification", "Read how the audit chain is", rest.Rules(Read),
		rest.Doc("What the last verification in the background has found. The command countersign audit verify finds out itself.")),
		func(ctx context.Context, _ *struct{}) (*struct{ Body Status }, error) {
			status, err := l.Status(ctx)
			return &struct{ Body Status }{status}, err
		})
	huma.Register(api, rest.Op("list-called-tools", http.MethodGet, path+"/tools", "List the tools that were called lately", rest.Rules(Read)),
		func(ctx context.Context, _ *struct{}) (*struct {
			Body struct {
				Tools []string `json:"tools" nullable:"false"`
			}
		}, error) {
			names, err := l.ToolNames(ctx)
			out := new(struct {
				Body struct {
					Tools []string `json:"tools" nullable:"false"`
				}
			})
			out.Body.Tools = append([]string{}, names...)
			return out, err
		})
	huma.Register(api, rest.Op("get-tool-call", http.MethodGet, path+"/{id}", "Read a tool call with its history", needs),
		func(ctx context.Context, in *struct {
			ID uuid.UUID `path:"id"`
		}) (*struct{ Body Detail }, error) {
			detail, err := l.Call(ctx, principal.FromContext(ctx), in.ID)
			return &struct{ Body Detail }{detail}, err
		})
}

func (l *Log) exportRoute(ctx context.Context, in *struct {
	FilterInput
	Format string `query:"format" enum:"csv,ndjson" default:"csv"`
},
) (*huma.StreamResponse, error) {
	params, err := l.params(principal.FromContext(ctx), in.filter())
	if err != nil {
		return nil, err
	}
	media := "text/csv; charset=utf-8"
	if in.Format == NDJSON {
		media = "application/x-ndjson"
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", media)
		hc.SetHeader("Content-Disposition", `attachment; filename="tool-calls.`+in.Format+`"`)
		if err := l.export(hc.Context(), params, in.Format, hc.BodyWriter()); err != nil {
			// The status is sent already: only a connection that breaks off says that the file is not whole.
			panic(http.ErrAbortHandler)
		}
	}}, nil
}
