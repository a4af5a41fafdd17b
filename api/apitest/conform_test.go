package apitest_test

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed testdata/shelf
var testdata embed.FS

const (
	shelves     = "/api/shelf/shelves"
	shelfRead   = "shelf.shelf.read"
	shelfManage = "shelf.shelf.manage"
)

// shelf is a record of the module of these tests.
type shelf struct {
	ID       uuid.UUID    `json:"id"`
	Name     string       `json:"name"`
	Labels   []string     `json:"labels" nullable:"false"`
	Access   access.Level `json:"access"`
	Revision int64        `json:"revision"`
}

type newShelf struct {
	Name   string   `json:"name" jsonschema:"minLength=1"`
	Labels []string `json:"labels,omitempty"`
}

type shelfChange struct {
	Name *string `json:"name,omitempty" jsonschema:"minLength=1"`
}

// flaw is what is wrong with a shelves module, "" for nothing.
type flaw string

// shelvesModule keeps shelves, and breaks what modules keep in the way that a test names.
type shelvesModule struct {
	flaw  flaw
	db    *store.DB
	texts fs.FS

	mu      sync.Mutex
	shelves []shelf
}

var shelfKind = access.Kind{Noun: "shelf", Plural: "shelves", Read: shelfRead, Manage: shelfManage}

func (m *shelvesModule) is(f flaw) bool { return m.flaw == f }

func (m *shelvesModule) Rules() []principal.Rule {
	rules := []principal.Rule{
		{ID: shelfRead, Description: "See the shelves"},
		{ID: shelfManage, Description: "Create, change and delete shelves"},
	}
	switch m.flaw {
	case "a rule without words":
		rules[0].Description = ""
	case "a rule that opens nothing":
		rules = append(rules, principal.Rule{ID: "shelf.box.read", Description: "See the boxes"})
	case "a rule that nobody declares":
		rules = rules[:1]
	}
	return rules
}

type listQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"50"`
	Cursor string `query:"cursor" maxLength:"100"`
}

type shelfList struct {
	Body struct {
		Shelves    []shelf `json:"shelves" nullable:"false"`
		NextCursor string  `json:"nextCursor,omitempty"`
	}
}

type patch struct {
	rest.ByID
	rest.IfMatch
	Body shelfChange
}

// Routes declares the operations. get and list decide by themselves who sees what; the rest is declared.
func (m *shelvesModule) Routes(api huma.API) {
	manage := rest.Rules(shelfManage)
	if m.is("a list at once") {
		huma.Register(
			api,
			rest.Op("list-shelves", http.MethodGet, shelves, "List shelves", rest.Rules(shelfRead)),
			func(ctx context.Context, _ *struct{}) (*shelfList, error) {
				return m.list(ctx, listQuery{Limit: 1 << 20})
			},
		)
	} else {
		options := []rest.Option{rest.Rules(shelfRead)}
		if m.is("an open list") {
			options = append(options, rest.Public())
		}
		huma.Register(
			api,
			rest.Op("list-shelves", http.MethodGet, shelves, "List shelves", options...),
			func(ctx context.Context, in *listQuery) (*shelfList, error) {
				return m.list(ctx, *in)
			},
		)
	}
	huma.Register(
		api,
		rest.Op("create-shelf", http.MethodPost, shelves, "Create a shelf", manage),
		func(_ context.Context, in *struct{ Body newShelf }) (*rest.Record[shelf], error) {
			return m.create(in.Body)
		},
	)
	huma.Register(
		api,
		rest.Op("get-shelf", http.MethodGet, shelves+"/{id}", "Read a shelf"),
		func(ctx context.Context, in *rest.ByID) (*rest.Record[shelf], error) {
			if m.is("a read that counts") {
				_, err := m.db.Conn(ctx).Exec(ctx, "INSERT INTO shelf_reads VALUES ($1)", in.ID)
				if err != nil {
					return nil, err
				}
			}
			return m.get(ctx, in.ID)
		},
	)
	huma.Register(
		api,
		rest.Op("update-shelf", http.MethodPatch, shelves+"/{id}", "Change a shelf"),
		func(ctx context.Context, in *patch) (*rest.Record[shelf], error) {
			return m.update(ctx, in.ID, in.Body, in.Revision())
		},
	)
	if m.is("a deletion without revision") {
		huma.Register(
			api,
			rest.Op("delete-shelf", http.MethodDelete, shelves+"/{id}", "Delete a shelf"),
			func(ctx context.Context, in *rest.ByID) (*struct{}, error) {
				return nil, m.remove(ctx, in.ID, nil)
			},
		)
	} else {
		huma.Register(api, rest.Op("delete-shelf", http.MethodDelete, shelves+"/{id}", "Delete a shelf"), rest.Delete(m.remove))
	}
	if m.is("an endless parameter") {
		huma.Register(
			api,
			rest.Op("find-shelf", http.MethodGet, "/api/shelf/search", "Find a shelf", rest.Rules(shelfRead)),
			func(context.Context, *struct {
				Query string `query:"query"`
			},
			) (*struct{}, error) {
				return nil, nil
			},
		)
	}
}

func (m *shelvesModule) list(_ context.Context, q listQuery) (*shelfList, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := &shelfList{}
	from := 0
	if q.Cursor != "" {
		n, err := strconv.Atoi(q.Cursor)
		if err != nil && !m.is("any cursor") {
			return nil, problem.UnknownCursor()
		}
		from = n
	}
	to := min(from+q.Limit, len(m.shelves))
	out.Body.Shelves = append([]shelf{}, m.shelves[from:to]...)
	if to < len(m.shelves) {
		out.Body.NextCursor = strconv.Itoa(to)
		if m.is("pages that skip one") {
			out.Body.NextCursor = strconv.Itoa(min(to+1, len(m.shelves)))
		}
	}
	return out, nil
}

func (m *shelvesModule) name(issues *problem.Issues, name string) string {
	switch m.flaw {
	case "a name without end":
		return text.Required(issues, "name", text.Line(issues, "name", name, 1<<30))
	case "a name in disguise":
		if len(name) > 100 {
			issues.Report("name", "is too long")
		}
		return strings.TrimSpace(name)
	}
	return text.Required(issues, "name", text.Line(issues, "name", name, 100))
}

func (m *shelvesModule) create(in newShelf) (*rest.Record[shelf], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var issues problem.Issues
	s := shelf{ID: uuid.New(), Name: m.name(&issues, in.Name), Labels: in.Labels, Access: access.Own, Revision: 1}
	if !m.is("a label in disguise") || len(strings.Join(in.Labels, "")) > 20 {
		s.Labels = text.Tags(&issues, "labels", in.Labels, 5, 20)
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	m.shelves = append(m.shelves, s)
	return rest.Answer(s, s.Revision, nil)
}

// find is the place of a shelf that the caller may see.
func (m *shelvesModule) find(ctx context.Context, id uuid.UUID, rule string) (int, error) {
	i := slices.IndexFunc(m.shelves, func(s shelf) bool { return s.ID == id })
	missing := principal.FromContext(ctx).Missing(rule)
	switch {
	case i >= 0 && len(missing) > 0 && m.is("a refusal that tells"):
		return 0, shelfKind.Refusal(m.shelves[i].Name, access.Edit)
	case i < 0 || len(missing) > 0:
		return 0, shelfKind.Missing(id)
	}
	return i, nil
}

func (m *shelvesModule) get(ctx context.Context, id uuid.UUID) (*rest.Record[shelf], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, err := m.find(ctx, id, shelfRead)
	if err != nil {
		return nil, err
	}
	return rest.Answer(m.shelves[i], m.shelves[i].Revision, nil)
}

func (m *shelvesModule) update(ctx context.Context, id uuid.UUID, c shelfChange, based *int64) (*rest.Record[shelf], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, err := m.find(ctx, id, shelfManage)
	if err != nil {
		return nil, err
	}
	s := &m.shelves[i]
	if err := problem.CheckRevision("shelf "+s.Name, s.Revision, based); err != nil && !m.is("a change of what has changed") {
		return nil, err
	}
	if c.Name != nil {
		var issues problem.Issues
		name := m.name(&issues, *c.Name)
		if err := issues.Err(); err != nil {
			return nil, err
		}
		s.Name = name
	}
	if !m.is("a revision that stays") {
		s.Revision++
	}
	return rest.Answer(*s, s.Revision, nil)
}

func (m *shelvesModule) remove(ctx context.Context, id uuid.UUID, based *int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, err := m.find(ctx, id, shelfManage)
	if err != nil {
		return err
	}
	if err := problem.CheckRevision("shelf "+m.shelves[i].Name, m.shelves[i].Revision, based); err != nil {
		return err
	}
	m.shelves = slices.Delete(m.shelves, i, i+1)
	return nil
}

var shelvesAPI = kit.Collection[shelf]{Kind: shelfKind, Path: shelves}

type byID struct {
	ID uuid.UUID `json:"id"`
}

// Targets implements tool.Targeted.
func (in byID) Targets() []tool.Target { return []tool.Target{shelvesAPI.Target(in.ID, access.Edit)} }

// openID is an input that takes members it does not name.
type openID struct {
	ID uuid.UUID `json:"id"`
}

func (openID) JSONSchemaExtend(s *jsonschema.Schema) { s.AdditionalProperties = jsonschema.TrueSchema }

type updateShelf struct {
	byID
	shelfChange
}

func (m *shelvesModule) Tools() []tool.Tool {
	effect := tool.Destructive
	if m.is("a deletion that is no deletion") {
		effect = tool.Mutate
	}
	getShelf := kit.NewRead(kit.Define(m.texts, "shelf.getShelf", tool.Read, shelfRead), m.read)
	if m.is("an open schema") {
		getShelf.Input = kit.SchemaOf[openID]()
	}
	listing := kit.Define(m.texts, "shelf.listShelves", tool.Read, shelfRead)
	switch m.flaw {
	case "a short text":
		listing.Description = "Lists shelves."
	case "a text about no tool":
		listing.Description += " Then call shelf_paintShelf."
	case "a text in disguise":
		listing.Description += "\u202e hidden"
	case "a text for two":
		listing.Description = getShelf.Description
	}
	updating := kit.Define(m.texts, "shelf.updateShelf", tool.Mutate, shelfManage)
	if m.is("a proposal about nothing") {
		updating.Access.Targets = func(json.RawMessage) ([]tool.Target, error) { return nil, nil }
	}
	deleting := kit.Define(m.texts, "shelf.deleteShelf", effect, shelfManage).WithoutCascade()
	switch m.flaw {
	case "a deletion that keeps quiet":
		deleting.Impact.Cascade = ""
	case "a deletion that takes nothing along":
		deleting.Impact.Cascade = tool.CascadeOthers
	}
	return []tool.Tool{
		kit.NewRead(listing, m.listTool), getShelf,
		kit.NewWriteFunc(updating, m.proposeUpdate, m.applyUpdate),
		kit.NewWrite(deleting,
			func(ctx context.Context, c tool.Caller, in byID) (kit.Preview[byID], error) {
				live, err := shelvesAPI.LoadForChange(ctx, c, in.ID, "id", access.Own)
				preview := kit.Remove(live, in, "Delete the shelf "+live.Name)
				if m.is("a deletion that takes more") {
					preview.Effects = []string{"The boxes on it go with it."}
				}
				return preview, err
			},
			func(in byID) tool.Request { return kit.Delete(shelvesAPI.At(in.ID)) }, kit.Gone),
	}
}

type listOutput struct {
	Shelves []shelf `json:"shelves"`
}

func (m *shelvesModule) listTool(ctx context.Context, c tool.Caller, _ struct{}) (listOutput, error) {
	if m.is("a read that writes") {
		_, err := c.Client.Do(ctx, http.MethodPost, shelves, newShelf{Name: "Made by reading"}, nil)
		if err != nil {
			return listOutput{}, err
		}
	}
	if m.is("a text of nobody") {
		m.mu.Lock()
		defer m.mu.Unlock()
		return listOutput{slices.Clone(m.shelves)}, nil
	}
	list, _, err := kit.Page[shelf](ctx, c, shelves, "shelves", url.Values{"limit": {"100"}})
	return listOutput{list}, err
}

func (m *shelvesModule) read(ctx context.Context, c tool.Caller, in byID) (shelf, error) {
	live, err := shelvesAPI.Load(ctx, c, in.ID, "id")
	return live.Record, err
}

func (m *shelvesModule) proposeUpdate(ctx context.Context, c tool.Caller, in updateShelf) (kit.Preview[updateShelf], error) {
	live, err := shelvesAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
	if err != nil {
		return kit.Preview[updateShelf]{}, err
	}
	before := newShelf{Name: live.Name}
	after := before
	var issues problem.Issues
	if in.Name != nil {
		after.Name = *in.Name
		if !m.is("a card in disguise") {
			after.Name = m.name(&issues, *in.Name)
		} else if len(after.Name) > 100 {
			issues.Report("name", "is too long")
		}
	}
	if err := issues.Err(); err != nil {
		return kit.Preview[updateShelf]{}, err
	}
	if m.is("a proposal that writes") {
		_, err := c.Client.Do(ctx, http.MethodPost, shelves, newShelf{Name: "Made by proposing"}, nil)
		if err != nil {
			return kit.Preview[updateShelf]{}, err
		}
	}
	p, err := kit.Update(live, in, before, after)
	if m.is("a proposal without revision") {
		p.Revision = ""
	}
	return p, err
}

func (m *shelvesModule) applyUpdate(ctx context.Context, c tool.Caller, in updateShelf) (shelf, error) {
	var s shelf
	_, err := c.Client.Do(ctx, http.MethodPatch, shelvesAPI.At(in.ID), in.shelfChange, &s)
	if err == nil && m.is("two writes") {
		c.Client.IfMatch, c.Client.IdempotencyKey = "", "another"
		_, err = c.Client.Do(ctx, http.MethodPatch, shelvesAPI.At(in.ID), in.shelfChange, &s)
	}
	return s, err
}

func subject(t *testing.T, f flaw) apitest.Subject {
	t.Helper()
	s := apitest.New(t)
	_, err := s.DB.Conn(t.Context()).Exec(t.Context(), "CREATE TABLE shelf_reads (id uuid)")
	require.NoError(t, err)
	texts, err := fs.Sub(testdata, "testdata/shelf")
	require.NoError(t, err)
	m := &shelvesModule{flaw: f, db: s.DB, texts: texts}
	s.Mount(t, m)
	first, err := m.create(newShelf{Name: "First"})
	require.NoError(t, err)
	about := apitest.Subject{
		Server: s, Module: m,
		Records: []apitest.Record{{
			Path: shelves, Change: map[string]any{"name": "Changed"},
			New: func(n int) map[string]any {
				return map[string]any{"name": fmt.Sprint("Shelf ", n), "labels": []string{"a"}}
			},
		}},
		Calls: map[string]apitest.Call{
			"shelf.getShelf":    apitest.Input(map[string]any{"id": first.Body.ID}),
			"shelf.updateShelf": apitest.About(shelves, "id", map[string]any{"name": "New"}),
			"shelf.deleteShelf": apitest.About(shelves, "id", nil),
		},
	}
	if f == "a write without example" {
		delete(about.Calls, "shelf.updateShelf")
	}
	return about
}

func TestAModuleThatKeepsEverythingConforms(t *testing.T) {
	t.Parallel()
	apitest.Conform(t, subject(t, ""))
}

// Each flaw is found, and nothing else is.
func TestConformFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	for f, want := range map[flaw]apitest.Finding{
		"a short text":                        {Clause: apitest.Texts, Message: "the text of shelf.listShelves has 2 words"},
		"a text about no tool":                {Clause: apitest.Texts, Message: "names shelf_paintShelf, which does not exist"},
		"a text in disguise":                  {Clause: apitest.Texts, Message: "characters that nobody sees"},
		"a text for two":                      {Clause: apitest.Texts, Message: "has the text of"},
		"a deletion that is no deletion":      {Clause: apitest.Texts, Message: "shelf.deleteShelf is called delete and has the effect mutate"},
		"a proposal about nothing":            {Clause: apitest.Sight, Message: "a proposal of shelf.updateShelf does not say that it is about"},
		"a deletion that keeps quiet":         {Clause: apitest.Along, Message: "shelf.deleteShelf does not say what goes with what it removes"},
		"a deletion that takes more":          {Clause: apitest.Along, Message: "shelf.deleteShelf says that nothing goes along"},
		"a deletion that takes nothing along": {Clause: apitest.Along, Message: "shelf.deleteShelf says that something goes along"},
		"an open schema":                      {Clause: apitest.Closed, Message: "shelf.getShelf input takes members that it does not name"},
		"a rule without words":                {Clause: apitest.Ruled, Message: "does not say what its holder may do"},
		"a rule that opens nothing":           {Clause: apitest.Ruled, Message: "shelf.box.read opens nothing"},
		"a rule that nobody declares":         {Clause: apitest.Ruled, Message: "needs the rule shelf.shelf.manage, which nobody declares"},
		"an endless parameter":                {Clause: apitest.Bounded, Message: "find-shelf bounds its parameter query by nothing"},
		"a name without end":                  {Clause: apitest.Bounded, Message: "takes a text of 200001 characters in name"},
		"a name in disguise":                  {Clause: apitest.Plain, Message: "create-shelf keeps in name the characters U+202E, U+2066"},
		"a label in disguise":                 {Clause: apitest.Plain, Message: "create-shelf keeps in labels.[] the characters U+202E"},
		"a card in disguise":                  {Clause: apitest.Plain, Message: "shelf.updateShelf keeps in name the characters U+202E"},
		"a list at once":                      {Clause: apitest.Paged, Message: "it takes no limit and cursor"},
		"any cursor":                          {Clause: apitest.Paged, Message: "answers ?cursor=unheard-of with 200"},
		"pages that skip one":                 {Clause: apitest.Paged, Message: "0 times"},
		"a deletion without revision":         {Clause: apitest.Drift, Message: "delete-shelf takes no If-Match"},
		"a change of what has changed":        {Clause: apitest.Drift, Message: "update-shelf answers a change that is based on another revision with 200"},
		"a revision that stays":               {Clause: apitest.Drift, Message: "changes a record whose ETag stays"},
		"a proposal without revision":         {Clause: apitest.Drift, Message: "shelf.updateShelf is applied to a record that has changed since"},
		"a refusal that tells":                {Clause: apitest.Refusals, Message: "get-shelf tells nobody of a record"},
		"an open list":                        {Clause: apitest.Refusals, Message: "list-shelves is open to everybody"},
		"a read that counts":                  {Clause: apitest.Pure, Message: "get-shelf changes the table shelf_reads"},
		"a read that writes":                  {Clause: apitest.Pure, Message: "shelf.listShelves only reads and makes the request POST /api/shelf/shelves"},
		"a proposal that writes":              {Clause: apitest.Pure, Message: "proposing shelf.updateShelf makes the request POST /api/shelf/shelves"},
		"two writes":                          {Clause: apitest.Pure, Message: "applying shelf.updateShelf makes 2 writes"},
		"a write without example":             {Clause: apitest.Pure, Message: "shelf.updateShelf has no example"},
		"a text of nobody":                    {Clause: apitest.Traced, Message: "shelf.listShelves shows \"Shelf"},
	} {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			found := apitest.Examine(t, subject(t, f))
			require.True(t, slices.ContainsFunc(found, func(got apitest.Finding) bool {
				return got.Clause == want.Clause && strings.Contains(got.Message, want.Message)
			}), "%v", found)
			for _, got := range found {
				require.Equal(t, want.Clause, got.Clause, got.Message)
			}
		})
	}
}
