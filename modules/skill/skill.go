package skill

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/skill/skilldb"
	"countersign/tool"
)

// Directory resolves the names of users.
type Directory interface {
	// Names returns the names of users; missing users are left out.
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Module provides the operations and access rules of skills.
type Module struct {
	db        *store.DB
	directory Directory
	removed   access.OnRemoved
}

// New creates the module. removed is called for deleted skills.
func New(db *store.DB, directory Directory, removed access.OnRemoved) *Module {
	return &Module{db: db, directory: directory, removed: removed}
}

// Tools is empty: a model follows a skill and does not choose or change one.
func (m *Module) Tools() []tool.Tool { return nil }

func (m *Module) queries(ctx context.Context) *skilldb.Queries { return skilldb.New(m.db.Conn(ctx)) }

// List returns skills: the built-in ones, on the first page beyond its limit, then the others by name.
func (m *Module) List(ctx context.Context, f Filter, page rest.Page) ([]ListedSkill, rest.Next, error) {
	p := principal.FromContext(ctx)
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	var v validation
	f.Query = text.Query(&v.Issues, "query", f.Query)
	if err := v.Err(); err != nil {
		return nil, rest.Next{}, err
	}
	list := []ListedSkill{}
	if page.Cursor == "" && (f.Source == "" || f.Source == Builtin) {
		list = builtinsLike(f)
	}
	if f.Source == Builtin {
		return list, rest.Next{}, nil
	}
	params := skilldb.SkillsParams{After: after, Target: f.Target, Query: f.Query, MaxRows: page.Rows()}
	if f.Source == Own {
		params.OwnerKind, params.OwnerID = string(p.Kind), p.ID
	}
	rows, err := skilldb.New(m.db.CustomPlans(ctx)).Skills(ctx, params)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list skills: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row skilldb.AiSkill) string { return row.NameKey })
	skills, err := m.assemble(ctx, p, rows...)
	for _, s := range skills {
		list = append(list, s.ListedSkill)
	}
	return list, next, err
}

func builtinsLike(f Filter) []ListedSkill {
	list := []ListedSkill{}
	for _, s := range builtins() {
		fits := f.Query == "" || strings.Contains(text.Key(s.Name), f.Query) || strings.Contains(strings.ToLower(s.Description), f.Query) ||
			slices.Contains(s.Tags, f.Query)
		if fits && (f.Target == "" || slices.Contains(s.Targets, f.Target)) {
			list = append(list, s.ListedSkill)
		}
	}
	return list
}

// Get returns one skill.
func (m *Module) Get(ctx context.Context, id string) (Skill, error) {
	return m.get(ctx, principal.FromContext(ctx), id)
}

func (m *Module) get(ctx context.Context, p principal.Principal, id string) (Skill, error) {
	if s, ok := findBuiltin(id); ok {
		return s, nil
	}
	key, err := parseID(id)
	if err != nil {
		return Skill{}, err
	}
	row, err := m.queries(ctx).Skill(ctx, key)
	if store.NoRows(err) {
		return Skill{}, missing(id)
	}
	if err != nil {
		return Skill{}, fmt.Errorf("find skill: %w", err)
	}
	return single(m.assemble(ctx, p, row))
}

// parseID accepts only the canonical form, so that each skill has one id.
func parseID(id string) (uuid.UUID, error) {
	key, err := uuid.Parse(id)
	if err != nil || key.String() != id {
		return uuid.UUID{}, missing(id)
	}
	return key, nil
}

func missing(id string) error {
	if len(id) > 64 {
		id = "given"
	}
	return problem.Errorf(
		problem.NotFound,
		"No skill has the id %s. It may have been deleted; list the skills to see what exists.",
		strings.ToValidUTF8(id, "?"),
	)
}

// Create publishes a skill of the caller.
func (m *Module) Create(ctx context.Context, n NewSkill) (Skill, error) {
	p := principal.FromContext(ctx)
	if p.Kind != principal.User && p.Kind != principal.Application {
		return Skill{}, problem.Errorf(problem.Forbidden, "Only people and applications publish skills.")
	}
	var v validation
	n = v.skill(n)
	if err := v.Err(); err != nil {
		return Skill{}, err
	}
	return store.InTx(ctx, m.db, func(ctx context.Context) (Skill, error) {
		row, err := m.queries(ctx).InsertSkill(ctx, skilldb.InsertSkillParams{
			ID: store.NewID(), Name: n.Name, NameKey: text.Key(n.Name), Description: n.Description, Targets: n.Targets,
			SystemPrompt: n.SystemPrompt, PromptTemplate: n.PromptTemplate, OutputFields: n.SuggestedOutputFields, Tags: n.Tags,
			OwnerKind: string(p.Kind), OwnerID: p.ID, OwnerName: ownName(p),
		})
		if err != nil {
			return Skill{}, explain(err, n.Name)
		}
		if err := m.record(ctx, audit.Created, row, "Skill published", nil); err != nil {
			return Skill{}, err
		}
		return single(m.assemble(ctx, p, row))
	})
}

// ownName returns the name stored beside an author's id. A user's name is looked up instead, so that it is erased
// with the account.
func ownName(p principal.Principal) string {
	if p.Kind == principal.User {
		return ""
	}
	return p.Name
}

func explain(err error, name string) error {
	if store.Violates(err, "ai_skill_name_key") {
		return problem.Errorf(problem.Conflict, "A skill with the name %q exists already. Choose another name.", name)
	}
	return fmt.Errorf("write skill: %w", err)
}

// Update changes a skill if it still has the revision based. A change without effect keeps the revision.
func (m *Module) Update(ctx context.Context, id string, c Change, based *int64) (Skill, error) {
	return store.InTx(ctx, m.db, func(ctx context.Context) (Skill, error) {
		row, err := m.lock(ctx, id, based)
		if err != nil {
			return Skill{}, err
		}
		n, err := c.applyTo(row)
		if err != nil {
			return Skill{}, err
		}
		_, err = m.queries(ctx).UpdateSkill(ctx, skilldb.UpdateSkillParams{
			ID: row.ID, Name: n.Name, NameKey: text.Key(n.Name), Description: n.Description, Targets: n.Targets,
			SystemPrompt: n.SystemPrompt, PromptTemplate: n.PromptTemplate, OutputFields: n.SuggestedOutputFields, Tags: n.Tags,
		})
		if err != nil {
			return Skill{}, explain(err, n.Name)
		}
		if changes := changedFields(row, n); len(changes) > 0 {
			row.Name = n.Name
			if err := m.record(ctx, audit.Changed, row, "Skill changed", changes); err != nil {
				return Skill{}, err
			}
		}
		return m.Get(ctx, id)
	})
}

func (c Change) applyTo(row skilldb.AiSkill) (NewSkill, error) {
	n := NewSkill{
		Name: row.Name, Description: row.Description, Targets: row.Targets, SystemPrompt: row.SystemPrompt,
		PromptTemplate: row.PromptTemplate, SuggestedOutputFields: row.OutputFields, Tags: row.Tags,
	}
	rest.Replace(&n.Name, c.Name)
	rest.Replace(&n.Description, c.Description)
	rest.Replace(&n.Targets, c.Targets)
	rest.Replace(&n.SystemPrompt, c.SystemPrompt)
	rest.Replace(&n.PromptTemplate, c.PromptTemplate)
	rest.Replace(&n.SuggestedOutputFields, c.SuggestedOutputFields)
	rest.Replace(&n.Tags, c.Tags)
	var v validation
	n = v.skill(n)
	return n, v.Err()
}

// Delete deletes a skill. Conversations with it go on without it.
func (m *Module) Delete(ctx context.Context, id string, based *int64) error {
	return m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.lock(ctx, id, based)
		if err != nil {
			return err
		}
		if _, err := m.queries(ctx).DeleteSkill(ctx, row.ID); err != nil {
			return fmt.Errorf("delete skill: %w", err)
		}
		if err := m.removed.Notify(ctx, skillType, row.ID); err != nil {
			return err
		}
		return m.record(ctx, audit.Deleted, row, "Skill deleted", nil)
	})
}

// lock locks a skill for a change by the caller until the transaction ends.
func (m *Module) lock(ctx context.Context, id string, based *int64) (skilldb.AiSkill, error) {
	if s, ok := findBuiltin(id); ok {
		return skilldb.AiSkill{}, problem.Errorf(
			problem.Conflict,
			"The skill %s is built in and stays as it is. Make a copy and change that.",
			s.Name,
		)
	}
	key, err := parseID(id)
	if err != nil {
		return skilldb.AiSkill{}, err
	}
	row, err := m.queries(ctx).LockSkill(ctx, key)
	if store.NoRows(err) {
		return row, missing(id)
	}
	if err != nil {
		return row, fmt.Errorf("lock skill: %w", err)
	}
	if !editable(principal.FromContext(ctx), row) {
		return row, problem.Errorf(problem.Forbidden, "Only its author changes or deletes the skill %s. Make a copy and change that.", row.Name)
	}
	return row, problem.CheckRevision("skill "+row.Name, row.Revision, based)
}

// editable reports whether p may change a skill: the author with the rule, or a moderating administrator.
func editable(p principal.Principal, row skilldb.AiSkill) bool {
	return p.Has(principal.Admin) || p.Has(Manage) && string(p.Kind) == row.OwnerKind && p.ID == row.OwnerID
}

// single returns the one skill assembled from one row.
func single(skills []Skill, err error) (Skill, error) {
	if err != nil {
		return Skill{}, err
	}
	return skills[0], nil
}

// assemble adds the names of authors and the caller's rights to rows.
func (m *Module) assemble(ctx context.Context, p principal.Principal, rows ...skilldb.AiSkill) ([]Skill, error) {
	var ids []uuid.UUID
	for _, row := range rows {
		if row.OwnerKind == string(principal.User) && !slices.Contains(ids, row.OwnerID) {
			ids = append(ids, row.OwnerID)
		}
	}
	names := map[uuid.UUID]string{}
	if len(ids) > 0 {
		var err error
		if names, err = m.directory.Names(ctx, ids); err != nil {
			return nil, fmt.Errorf("look authors up: %w", err)
		}
	}
	skills := make([]Skill, 0, len(rows))
	for _, row := range rows {
		s := Skill{
			ListedSkill: ListedSkill{
				ID: row.ID.String(), Name: row.Name, Description: row.Description, Targets: row.Targets, Tags: row.Tags,
				Source: User, OwnerID: row.OwnerID.String(), OwnerName: names[row.OwnerID], Editable: editable(p, row),
				Revised: rest.Revised{Revision: row.Revision}, CreatedAt: &row.CreatedAt, UpdatedAt: &row.UpdatedAt,
			},
			SystemPrompt: row.SystemPrompt, PromptTemplate: row.PromptTemplate, SuggestedOutputFields: row.OutputFields,
		}
		if row.OwnerKind == string(principal.Application) {
			s.OwnerName = row.OwnerName
		}
		skills = append(skills, s)
	}
	return skills, nil
}
