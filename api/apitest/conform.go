package apitest

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/principal"
	"countersign/tool"
)

// Subject is a module under the conformance test: its declarations, and examples that only its tests know.
type Subject struct {
	// Server serves the module and its dependencies.
	Server *Server
	// Module offers any of Routes, Tools and Rules.
	Module any
	// Foreign are access rules of other modules that its operations and tools need.
	Foreign []string
	// Records are its kinds of records.
	Records []Record
	// Calls are example calls of its tools, by name. A tool that accepts an empty input needs none.
	Calls map[string]Call
	// Public are the ids of operations without authentication.
	Public []string
	// Widening are rules that open no operation of their own but extend what others show or allow, with the reason.
	Widening map[string]string
	// Unpaged are lists that are short by their nature, by path, with the reason.
	Unpaged map[string]string
	// Unrevised are writes that ask for no revision, by operation id, with the reason.
	Unrevised map[string]string
}

// Record is a kind of record: POST and GET at Path, the rest at Path/{id}.
type Record struct {
	Path string
	// New returns a body that creates a record, a different one for each n.
	New func(n int) map[string]any
	// Change is a PATCH body that changes such a record.
	Change map[string]any
	// Parts are request bodies for paths below a record, by the rest of the path: "/owner".
	Parts map[string]any
	// Key is the member that holds the last part of a record's path, id when empty.
	Key string
	// Within is the member of a creation's response that holds the record, when the response has more than the record.
	Within string
	// Opaque are text fields whose characters are not checked, such as a password.
	Opaque []string
}

// Call is an example call of a tool.
type Call struct {
	// Record is the path of the kind of record that the call changes, empty for none.
	Record string
	// Input returns a valid input about the record and may prepare the record first.
	Input func(t testing.TB, id string) map[string]any
	// Elsewhere marks a call about a record of another module, whose revision is not compared.
	Elsewhere bool
}

// Input is an example call about no record.
func Input(in map[string]any) Call {
	return Call{Input: func(testing.TB, string) map[string]any { return in }}
}

// About is an example call about a record, which the input names in a field.
func About(record, field string, in map[string]any) Call {
	return Call{Record: record, Input: func(_ testing.TB, id string) map[string]any { return with(in, field, id) }}
}

// Finding is a violation of a clause of conformance.
type Finding struct {
	Clause  string
	Message string
}

// The clauses, in the order in which they are examined.
const (
	Texts    = "texts"    // the texts of tools are there, whole, and name only tools that exist
	Closed   = "closed"   // schemas of tools take no member that they do not name
	Ruled    = "rules"    // operations and tools need access rules that are declared and described
	Bounded  = "bounded"  // text has an end
	Plain    = "plain"    // text that people read holds no character that disguises
	Paged    = "paged"    // lists come in pages
	Drift    = "drift"    // what has changed since is not overwritten
	Refusals = "refusals" // strangers hear the same of what is there and of what is not
	Sight    = "sight"    // proposals say what they are about, for it to decide who sees them
	Along    = "along"    // tools that remove something say whether something else goes with it
	Pure     = "pure"     // reading and proposing change nothing, applying is one write
	Traced   = "traced"   // the records that a tool shows anything of are known by their ids, and so are their authors
)

// Conform requires that a module keeps the clauses common to all modules. It uses the server's users root (all rights),
// nobody (none) and stranger (the module's rules).
func Conform(t *testing.T, s Subject) {
	t.Helper()
	for _, f := range Examine(t, s) {
		t.Errorf("%s: %s", f.Clause, f.Message)
	}
}

// Examine lists where a module does not conform.
func Examine(t testing.TB, s Subject) []Finding {
	t.Helper()
	e := &examination{TB: t, Subject: s}
	e.prepare()
	e.texts()
	e.closed()
	e.rules()
	e.operations()
	for _, r := range s.Records {
		e.paged(r)
		e.drift(r)
		e.refusals(r)
		e.recordTexts(r)
	}
	e.anonymous()
	e.reads()
	e.calls()
	return e.findings
}

type examination struct {
	testing.TB
	Subject
	tools    []tool.Tool
	declared map[string]principal.Rule
	own      []operation
	findings []Finding
	made     int
}

// operation is an operation of the module.
type operation struct {
	*huma.Operation
	schemas huma.Registry
}

func (e *examination) report(clause, format string, args ...any) {
	e.findings = append(e.findings, Finding{clause, fmt.Sprintf(format, args...)})
}

func (e *examination) prepare() {
	if m, ok := e.Module.(interface{ Tools() []tool.Tool }); ok {
		e.tools = m.Tools()
	}
	e.declared = map[string]principal.Rule{}
	held := slices.Clone(e.Foreign)
	if m, ok := e.Module.(interface{ Rules() []principal.Rule }); ok {
		for _, rule := range m.Rules() {
			e.declared[rule.ID] = rule
			held = append(held, rule.ID)
		}
	}
	if m, ok := e.Module.(api.Routes); ok {
		// Mounting the module alone keeps other modules' operations out of the document.
		alone, err := api.New(api.Options{
			DB: e.Server.DB, Log: slog.New(slog.DiscardHandler), Authenticator: e.Server, IdempotencyKey: []byte("alone"), Modules: []api.Routes{m},
		})
		require.NoError(e, err)
		document := alone.OpenAPI()
		for _, item := range document.Paths {
			for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
				if op != nil && op.OperationID != "" && len(op.Tags) > 0 {
					e.own = append(e.own, operation{op, document.Components.Schemas})
				}
			}
		}
		slices.SortFunc(e.own, func(a, b operation) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
		})
	}
	e.Server.Person("root", principal.Admin)
	e.Server.Person("nobody")
	e.Server.Person("stranger", held...)
}

// operationAt returns the module's operation of this method and path.
func (e *examination) operationAt(method, path string) (operation, bool) {
	i := slices.IndexFunc(e.own, func(op operation) bool { return op.Method == method && op.Path == path })
	if i < 0 {
		return operation{}, false
	}
	return e.own[i], true
}

func (r Record) key() string { return cmp.Or(r.Key, "id") }

// at is the path of one record, as the operations declare it.
func (r Record) at() string { return r.Path + "/{" + r.key() + "}" }

// nowhere returns a key that no record has.
func (r Record) nowhere() string {
	if r.key() == "id" {
		return uuid.NewString()
	}
	return "NO_SUCH_RECORD"
}

// make creates a record as root and returns its key and ETag.
func (e *examination) make(r Record) (key, etag string) {
	e.made++
	answer := e.Server.Do(e, "root", http.MethodPost, r.Path, r.New(e.made))
	require.Less(e, answer.Status, 300, "%s: %s", r.Path, answer.Body)
	made := Decode[map[string]any](e, answer)
	if r.Within != "" {
		made, _ = made[r.Within].(map[string]any)
	}
	key, _ = made[r.key()].(string)
	require.NotEmpty(e, key, "%s answers no %s: %s", r.Path, r.key(), answer.Body)
	return key, answer.Header.Get("ETag")
}

func (e *examination) record(path string) Record {
	i := slices.IndexFunc(e.Records, func(r Record) bool { return r.Path == path })
	require.GreaterOrEqual(e, i, 0, "%s is not among the records", path)
	return e.Records[i]
}

// fill replaces the parameters of a path: the first with key, the others with ids that do not exist.
func fill(path, key string) string {
	for n := 0; ; n++ {
		before, tail, found := strings.Cut(path, "{")
		if !found {
			return path
		}
		_, after, _ := strings.Cut(tail, "}")
		value := key
		if n > 0 {
			value = uuid.NewString()
		}
		path = before + value + after
	}
}

// with copies an object and adds a member.
func with(object map[string]any, name string, value any) map[string]any {
	more := map[string]any{}
	maps.Copy(more, object)
	more[name] = value
	return more
}
