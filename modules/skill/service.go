package skill

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/modules/skill/skilldb"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/text"
	"countersign/tool"
)

// Directory knows the people of the product.
type Directory interface {
	// Names looks users up; those who do not exist are missing from the answer.
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Module is the library of skills: its operations and its access rules.
type Module struct {
	db        *store.DB
	directory Directory
}

// New makes the library on a database.
func New(db *store.DB, directory Directory) *Module {
	return &Module{db: db, directory: directory}
}

// Tools are none: the model is led by a skill, it does not choose or change one.
func (m *Module) Tools() []tool.Tool { return nil }

const (
	defaultPage = 200
	maxPage     = 500
)

func (m *Module) queries(ctx context.Context) *skilldb.Queries { return skilldb.New(m.db.Conn(ctx)) }

// List shows skills: the built-in ones, which come on the first page beyond its limit, then the others by name. It
// returns the cursor of the next page, if there is one.
func (m *Module) List(ctx context.Context, f Filter, page Page) ([]ListedSkill, string, error) {
	p := principal.FromContext(ctx)
	var v validation
	f.Query = v.query("query", f.Query)
	after, err := base64.RawURLEncoding.DecodeString(page.Cursor)
	if err != nil || !utf8.Valid(after) || bytes.ContainsRune(after, 0) {
		v.Report("cursor", "is not one that a list has given; start again without it")
	}
	if err := v.Err(); err != nil {
		return nil, "", err
	}
	list := []ListedSkill{}
	if page.Cursor == "" && (f.Source == "" || f.Source == Builtin) {
		list = builtinsLike(f)
	}
	if f.Source == Builtin {
		return list, "", nil
	}
	if page.Limit < 1 {
		page.Limit = defaultPage
	}
	page.Limit = min(page.Limit, maxPage)
	params := skilldb.SkillsParams{After: string(after), Target: f.Target, Query: f.Query, MaxRows: int32(page.Limit) + 1}
	if f.Source == Own {
		params.OwnerKind, params.OwnerID = string(p.Kind), p.ID
	}
	rows, err := m.queries(ctx).Skills(ctx, params)
	if err != nil {
		return nil, "", fmt.Errorf("list skills: %w", err)
	}
	next := ""
	if len(rows) > page.Limit {
		rows = rows[:page.Limit]
		next = base64.RawURLEncoding.EncodeToString([]byte(rows[page.Limit-1].NameKey))
	}
	skills, err := m.assemble(ctx, p, rows...)
	for _, s := range skills {
		list = append(list, s.ListedSkill)
	}
	return list, next, err
}

func builtinsLike(f Filter) []ListedSkill {
	list := []ListedSkill{}
	for _, s := range builtins() {
		fits := f.Query == "" || strings.Contains(text.Key(s.Name), f.Query) || strings.Contains(strings.ToLower(s.Description), f.Query) || slices.Contains(s.Tags, f.Query)
		if fits && (f.Target == "" || slices.Contains(s.Targets, f.Target)) {
			list = append(list, s.ListedSkill)
		}
	}
	return list
}

// Get finds one skill.
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
	skills, err := m.assemble(ctx, p, row)
	if err != nil {
		return Skill{}, err
	}
	return skills[0], nil
}

// parseID takes only the form in which ids are given out, so that each skill has one id.
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
	return problem.Errorf(problem.NotFound, "No skill has the id %s. It may have been deleted; list the skills to see what exists.", strings.ToValidUTF8(id, "?"))
}

// Create publishes a skill as the caller's.
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
	fields, err := json.Marshal(n.SuggestedOutputFields)
	if err != nil {
		return Skill{}, fmt.Errorf("encode output fields: %w", err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Skill{}, fmt.Errorf("make an id: %w", err)
	}
	row, err := m.queries(ctx).InsertSkill(ctx, skilldb.InsertSkillParams{
		ID: id, Name: n.Name, NameKey: text.Key(n.Name), Description: n.Description, Targets: n.Targets,
		SystemPrompt: n.SystemPrompt, PromptTemplate: n.PromptTemplate, OutputFields: fields, Tags: n.Tags,
		OwnerKind: string(p.Kind), OwnerID: p.ID, OwnerName: ownName(p),
	})
	if err != nil {
		return Skill{}, explain(err, n.Name)
	}
	skills, err := m.assemble(ctx, p, row)
	if err != nil {
		return Skill{}, err
	}
	return skills[0], nil
}

// ownName is the name that is kept beside an author's id. That of a person is looked up, so that it goes with the
// account.
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

// Update changes a skill, if it still has the expected revision. A change to what is there already leaves the revision
// alone.
func (m *Module) Update(ctx context.Context, id string, c Change, expected *int64) (Skill, error) {
	var changed Skill
	err := m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.lock(ctx, id, expected)
		if err != nil {
			return err
		}
		n, err := c.applyTo(row)
		if err != nil {
			return err
		}
		fields, err := json.Marshal(n.SuggestedOutputFields)
		if err != nil {
			return fmt.Errorf("encode output fields: %w", err)
		}
		_, err = m.queries(ctx).UpdateSkill(ctx, skilldb.UpdateSkillParams{
			ID: row.ID, Name: n.Name, NameKey: text.Key(n.Name), Description: n.Description, Targets: n.Targets,
			SystemPrompt: n.SystemPrompt, PromptTemplate: n.PromptTemplate, OutputFields: fields, Tags: n.Tags,
		})
		if err != nil {
			return explain(err, n.Name)
		}
		changed, err = m.Get(ctx, id)
		return err
	})
	return changed, err
}

func (c Change) applyTo(row skilldb.AiSkill) (NewSkill, error) {
	n := NewSkill{
		Name: row.Name, Description: row.Description, Targets: row.Targets, SystemPrompt: row.SystemPrompt,
		PromptTemplate: row.PromptTemplate, Tags: row.Tags,
	}
	if err := json.Unmarshal(row.OutputFields, &n.SuggestedOutputFields); err != nil {
		return n, fmt.Errorf("decode output fields: %w", err)
	}
	replace(&n.Name, c.Name)
	replace(&n.Description, c.Description)
	replace(&n.Targets, c.Targets)
	replace(&n.SystemPrompt, c.SystemPrompt)
	replace(&n.PromptTemplate, c.PromptTemplate)
	replace(&n.SuggestedOutputFields, c.SuggestedOutputFields)
	replace(&n.Tags, c.Tags)
	var v validation
	n = v.skill(n)
	return n, v.Err()
}

func replace[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// Delete removes a skill. Conversations that use it go on without it.
func (m *Module) Delete(ctx context.Context, id string, expected *int64) error {
	return m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.lock(ctx, id, expected)
		if err != nil {
			return err
		}
		if _, err := m.queries(ctx).DeleteSkill(ctx, row.ID); err != nil {
			return fmt.Errorf("delete skill: %w", err)
		}
		return nil
	})
}

// lock holds a skill for a change by the caller until the transaction ends.
func (m *Module) lock(ctx context.Context, id string, expected *int64) (skilldb.AiSkill, error) {
	if s, ok := findBuiltin(id); ok {
		return skilldb.AiSkill{}, problem.Errorf(problem.Conflict, "The skill %s is built in and stays as it is. Make a copy and change that.", s.Name)
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
	return row, problem.CheckRevision("skill "+row.Name, row.Revision, expected)
}

// editable says whether p may change a skill: the author with the rule, or an administrator who moderates.
func editable(p principal.Principal, row skilldb.AiSkill) bool {
	return p.Has(principal.Admin) || p.Has(Manage) && string(p.Kind) == row.OwnerKind && p.ID == row.OwnerID
}

// assemble adds to rows what lies elsewhere: the names of the authors, and what the caller may do.
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
				Revision: row.Revision, CreatedAt: &row.CreatedAt, UpdatedAt: &row.UpdatedAt,
			},
			SystemPrompt: row.SystemPrompt, PromptTemplate: row.PromptTemplate,
		}
		if row.OwnerKind == string(principal.Application) {
			s.OwnerName = row.OwnerName
		}
		if err := json.Unmarshal(row.OutputFields, &s.SuggestedOutputFields); err != nil {
			return nil, fmt.Errorf("decode output fields of skill %s: %w", row.ID, err)
		}
		skills = append(skills, s)
	}
	return skills, nil
}
