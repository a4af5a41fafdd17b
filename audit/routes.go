package audit

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/rest"
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
	Program   string    `query:"program" maxLength:"500" doc:"The whole id of a program through which a user asked or decided, or of an application"`
	Text      string    `query:"text" maxLength:"200" doc:"Part of a tool's name, an error code or the caller's name; or a whole id or hash"`
	Mine      bool      `query:"mine" doc:"Only your own calls; needs no rule but ai.chat.read"`
}

func (in FilterInput) filter() Filter {
	id, _ := uuid.Parse(in.Principal)
	return Filter{
		From: in.From, To: in.To, PrincipalID: id, Transport: in.Transport, ToolName: in.Tool, Effect: in.Effect, Status: in.Status,
		Program: in.Program, Text: in.Text, Mine: in.Mine,
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
	l.changeRoutes(api)
	const path = "/api/ai/audit"
	needs := rest.Doc("Needs " + Read + ", or mine=true and " + l.chat + ".")
	huma.Register(api, rest.Op("list-tool-calls", http.MethodGet, path, "List tool calls", needs, rest.Doc("Newest first.")),
		func(ctx context.Context, in *struct {
			FilterInput
			Cursor string `query:"cursor" maxLength:"200" doc:"nextCursor of the page before."`
			Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
		},
		) (*callList, error) {
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
		}, error,
		) {
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
		func(ctx context.Context, in *rest.ByID) (*rest.Body[Detail], error) {
			return rest.With(l.Call(ctx, principal.FromContext(ctx), in.ID))
		})
}

// ChangeFilterInput is the filter of changes as query parameters.
type ChangeFilterInput struct {
	From       time.Time `query:"from" doc:"Changes made at this time or later"`
	To         time.Time `query:"to" doc:"Changes made before this time"`
	ObjectType string    `query:"objectType" maxLength:"100" doc:"Such as catalog.system"`
	ObjectID   string    `query:"objectId" maxLength:"300" doc:"Needs objectType beside it"`
	Action     Action    `query:"action" enum:"created,changed,deleted,added,removed,granted,withdrawn,archived,restored,erased,ran,signed-in,sign-in-failed,signed-out,token-refused,name-refused,decided,refused"`
	Principal  string    `query:"principal" format:"uuid" doc:"Who asked or decided"`
	Proposal   string    `query:"proposal" format:"uuid" doc:"The proposal that was carried out"`
	Transport  string    `query:"transport" enum:"page,api,application,chat,mcp,automation,system"`
	Program    string    `query:"program" maxLength:"500" doc:"The whole id of a program through which a user asked or decided, or of an application"`
	Text       string    `query:"text" maxLength:"200" doc:"Part of a name or of a summary; or a whole id"`
	Mine       bool      `query:"mine" doc:"Only what you did yourself; needs no rule"`
}

func (in ChangeFilterInput) filter() ChangeFilter {
	who, _ := uuid.Parse(in.Principal)
	proposal, _ := uuid.Parse(in.Proposal)
	return ChangeFilter{
		From: in.From, To: in.To, ObjectType: in.ObjectType, ObjectID: in.ObjectID, Action: in.Action, PrincipalID: who, ProposalID: proposal,
		Transport: in.Transport, Program: in.Program, Text: in.Text, Mine: in.Mine,
	}
}

// PageInput chooses a page of a list.
type PageInput struct {
	Cursor string `query:"cursor" maxLength:"200" doc:"nextCursor of the page before."`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type changeList struct {
	Body struct {
		Changes    []ChangeEntry `json:"changes" nullable:"false"`
		NextCursor string        `json:"nextCursor,omitempty" doc:"Ask with it for the next page; absent on the last one."`
	}
}

func (l *Log) changeRoutes(api huma.API) {
	const path = "/api/ai/audit/changes"
	needs := rest.Doc("Needs " + Read + ", or mine=true.")
	huma.Register(api, rest.Op("list-changes", http.MethodGet, path, "List changes and sign-ins", needs, rest.Doc("Newest first.")),
		func(ctx context.Context, in *struct {
			ChangeFilterInput
			PageInput
		},
		) (*changeList, error) {
			out := &changeList{}
			var err error
			out.Body.Changes, out.Body.NextCursor, err = l.Changes(ctx, principal.FromContext(ctx), in.filter(), in.Cursor, in.Limit)
			return out, err
		})
	huma.Register(api, rest.Op("export-changes", http.MethodGet, path+"/export", "Export changes and sign-ins", needs), l.exportChangesRoute)
	huma.Register(api, rest.Op("list-audited-types", http.MethodGet, "/api/ai/audit/types", "List the types of audited objects",
		rest.Doc("Each with its label, in the order of the labels.")),
		func(context.Context, *struct{}) (*rest.Body[typeList], error) {
			return rest.With(typeList{l.Types()}, nil)
		})
	huma.Register(api, rest.Op(
		"get-history",
		http.MethodGet,
		"/api/history/{objectType}/{objectId}",
		"Read what happened to an object",
		rest.Doc(
			"For principals that can see the object; readers of the audit log are told more, and also of "+
				"objects that are gone. Newest first.",
		),
	),
		func(ctx context.Context, in *struct {
			ObjectType string `path:"objectType" maxLength:"100"`
			ObjectID   string `path:"objectId" maxLength:"300"`
			PageInput
		},
		) (*changeList, error) {
			out := &changeList{}
			var err error
			object := Ref{Type: in.ObjectType, ID: in.ObjectID}
			out.Body.Changes, out.Body.NextCursor, err = l.History(ctx, principal.FromContext(ctx), object, in.Cursor, in.Limit)
			return out, err
		})
}

// ObjectType is a type of audited objects, as people read it.
type ObjectType struct {
	Type   string `json:"type" doc:"Such as catalog.system"`
	Label  string `json:"label" doc:"Such as System"`
	Plural string `json:"plural" doc:"Such as Systems; the label where there is one object"`
	Page   string `json:"page,omitempty" doc:"Address of an object in the web app, with {id} for its id"`
}

type typeList struct {
	Types []ObjectType `json:"types" nullable:"false"`
}

func (l *Log) exportChangesRoute(ctx context.Context, in *struct {
	ChangeFilterInput
	Format string `query:"format" enum:"csv,ndjson" default:"csv"`
},
) (*huma.StreamResponse, error) {
	p := principal.FromContext(ctx)
	params, err := changeParams(p, in.filter())
	if err != nil {
		return nil, err
	}
	return download(
		"changes",
		in.Format,
		func(ctx context.Context, w io.Writer) error { return l.exportChanges(ctx, p, params, in.Format, w) },
	), nil
}

// download is a response body that write streams.
func download(name, format string, write func(ctx context.Context, w io.Writer) error) *huma.StreamResponse {
	media := "text/csv; charset=utf-8"
	if format == NDJSON {
		media = "application/x-ndjson"
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", media)
		hc.SetHeader("Content-Disposition", `attachment; filename="`+name+`.`+format+`"`)
		if err := write(hc.Context(), hc.BodyWriter()); err != nil {
			// The status is already sent, so only an aborted connection reports the incomplete file.
			panic(http.ErrAbortHandler)
		}
	}}
}

func (l *Log) exportRoute(ctx context.Context, in *struct {
	FilterInput
	Format string `query:"format" enum:"csv,ndjson" default:"csv"`
},
) (*huma.StreamResponse, error) {
	p := principal.FromContext(ctx)
	params, err := l.params(p, in.filter())
	if err != nil {
		return nil, err
	}
	return download(
		"tool-calls",
		in.Format,
		func(ctx context.Context, w io.Writer) error { return l.export(ctx, p, params, in.Format, w) },
	), nil
}
