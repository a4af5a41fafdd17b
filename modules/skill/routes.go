package skill

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

type skillQuery struct {
	rest.Page
	Target string `query:"target" enum:"chat,ai_analyze" doc:"Only skills for this use."`
	Source string `query:"source" enum:"builtin,user,own" doc:"own are the caller's."`
	Query  string `query:"query" maxLength:"200" doc:"Part of a name or description, or a whole tag, whatever its case."`
}

type skillList struct {
	Skills []ListedSkill `json:"skills" nullable:"false"`
	rest.Next
}

type skillByID struct {
	ID string `path:"id" maxLength:"64" doc:"A slug or a UUID"`
}

type removal struct {
	ID string `path:"id" maxLength:"64"`
	rest.IfMatch
}

// patch is the input of PATCH: what is absent stays, null clears.
type skillPatch struct {
	ID string `path:"id" maxLength:"64"`
	rest.IfMatch
	Body rest.Patch[Change]
}

type answer = rest.Record[Skill]

// Routes declares the operations of this package.
func (m *Module) Routes(api huma.API) {
	const path = "/api/ai/skills"
	huma.Register(api, rest.Op("list-skills", http.MethodGet, path, "List skills", rest.Rules(Read),
		rest.Doc("The built-in ones first, then the others by name. The texts are left out.")),
		func(ctx context.Context, in *skillQuery) (*rest.Body[skillList], error) {
			list, next, err := m.List(ctx, Filter{Target: in.Target, Source: in.Source, Query: in.Query}, in.Page)
			return rest.With(skillList{list, next}, err)
		})
	huma.Register(api, rest.Op("get-skill", http.MethodGet, path+"/{id}", "Get a skill", rest.Rules(Read)),
		func(ctx context.Context, in *skillByID) (*answer, error) { return rest.Show(m.Get(ctx, in.ID)) })
	huma.Register(api, rest.Op("create-skill", http.MethodPost, path, "Publish a skill",
		rest.Tool("ai.createSkill", rest.Mutates), rest.Rules(Create),
		rest.Doc("Everybody who may see skills can use it.")),
		rest.Create(m.Create))
	huma.Register(api, rest.Op("update-skill", http.MethodPatch, path+"/{id}", "Change a skill",
		rest.Tool("ai.updateSkill", rest.Mutates), rest.Rules(Manage),
		rest.Doc("For its author. Absent fields stay, null clears.")), m.patch)
	huma.Register(api, rest.Op("delete-skill", http.MethodDelete, path+"/{id}", "Delete a skill",
		rest.Tool("ai.deleteSkill", rest.Destroys), rest.Rules(Manage),
		rest.Doc("For its author.")),
		func(ctx context.Context, in *removal) (*struct{}, error) {
			return nil, m.Delete(ctx, in.ID, in.Revision())
		})
}

func (m *Module) patch(ctx context.Context, in *skillPatch) (*answer, error) {
	if err := in.Body.Err(); err != nil {
		return nil, err
	}
	return rest.Show(m.Update(ctx, in.ID, in.Body.Change, in.Revision()))
}
