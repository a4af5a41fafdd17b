package memory

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

const path = "/api/ai/memories"

// Handling of a save that is similar to a memory of the caller.
const (
	updateSimilar = "update"
	refuseSimilar = "refuse"
)

type memoryQuery struct {
	Limit    int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many to list at most."`
	Cursor   string `query:"cursor" maxLength:"1000" doc:"nextCursor of the page before."`
	Query    string `query:"query" maxLength:"400" doc:"Words to look for in recall hints, tags and contents; the best come first."`
	Scope    string `query:"scope" enum:"user,system"`
	SystemID string `query:"systemId" format:"uuid" doc:"Only memories of this system."`
}

type memoryList struct {
	Memories []Memory `json:"memories" nullable:"false"`
	rest.Next
}

type similarQuery struct {
	Scope      string `query:"scope" required:"true" enum:"user,system"`
	SystemID   string `query:"systemId" format:"uuid"`
	RecallHint string `query:"recallHint" required:"true" maxLength:"400"`
}

type similarMemory struct {
	Memory *Memory `json:"memory,omitempty" doc:"Absent when there is none."`
}

type memorySave struct {
	Body struct {
		NewMemory
		IfSimilar string `json:"ifSimilar,omitempty" enum:"update,refuse" default:"update" doc:"What to do when a memory of yours has nearly the same recall hint, scope and system: update it, or refuse."`
	}
}

type savedMemory struct {
	Status int
	rest.ETag
	Body Saved
}

// AlwaysInjectChoice sets whether a memory is part of every prompt of its owner.
type AlwaysInjectChoice struct {
	AlwaysInject bool `json:"alwaysInject"`
}

// Routes declares the operations of memories. The service checks access.
func (m *Module) Routes(api huma.API) {
	huma.Register(api, rest.Op("list-memories", http.MethodGet, path, "List memories", rest.Rules(Read),
		rest.Doc("Your own, and those of systems that you may see; newest first.")), m.list)
	huma.Register(
		api,
		rest.Op("find-similar-memory", http.MethodGet, path+"/similar", "Find the memory that a save would update", rest.Rules(Read)),
		m.findSimilar,
	)
	huma.Register(api, rest.Op("save-memory", http.MethodPost, path, "Save a memory", rest.Rules(Manage),
		rest.Doc("One of scope system needs the right to change that system.")), m.save)
	huma.Register(api, rest.Op("get-memory", http.MethodGet, path+"/{id}", "Read a memory", rest.Rules(Read)), rest.Get(m.service.Get))
	huma.Register(api, rest.Op(
		"update-memory",
		http.MethodPatch,
		path+"/{id}",
		"Change a memory",
		rest.Rules(Manage),
		rest.Doc(
			"What is absent stays, tags are replaced as a whole. When another user than the owner changes the text, it is no "+
				"longer always injected.",
		),
	), rest.Change(m.service.Update))
	huma.Register(
		api,
		rest.Op(
			"set-memory-always-inject",
			http.MethodPut,
			path+"/{id}/always-inject",
			"Choose whether a memory of yours is always injected",
			rest.Rules(Manage),
		),
		rest.Set(m.service.SetAlwaysInject),
	)
	huma.Register(
		api,
		rest.Op("delete-memory", http.MethodDelete, path+"/{id}", "Delete a memory", rest.Rules(Manage)),
		rest.Delete(m.service.Delete),
	)
}

func (m *Module) list(ctx context.Context, in *memoryQuery) (*rest.Body[memoryList], error) {
	system, err := rest.OptionalID("systemId", in.SystemID)
	if err != nil {
		return nil, err
	}
	list, next, err := m.service.List(
		ctx,
		Filter{Scope: Scope(in.Scope), SystemID: system, Query: in.Query},
		rest.Page{Limit: in.Limit, Cursor: in.Cursor},
	)
	return rest.With(memoryList{list, next}, err)
}

func (m *Module) findSimilar(ctx context.Context, in *similarQuery) (*rest.Body[similarMemory], error) {
	system, err := rest.OptionalID("systemId", in.SystemID)
	if err != nil {
		return nil, err
	}
	similar, err := m.service.Similar(ctx, NewMemory{Scope: Scope(in.Scope), SystemID: system, RecallHint: in.RecallHint})
	return rest.With(similarMemory{similar}, err)
}

func (m *Module) save(ctx context.Context, in *memorySave) (*savedMemory, error) {
	saved, err := m.service.Save(ctx, in.Body.NewMemory, in.Body.IfSimilar == refuseSimilar)
	if err != nil {
		return nil, err
	}
	out := &savedMemory{Status: http.StatusCreated, ETag: rest.Tag(saved.Revision), Body: saved}
	if saved.Updated {
		out.Status = http.StatusOK
	}
	return out, nil
}
