package declaredtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// Fixtures make what no single request makes, by the name of its placeholder.
type Fixtures map[string]func(s *Scope) string

// Subscriber is a fixture: a person with a calendar feed.
func Subscriber(s *Scope) string {
	s.Helper()
	s.Person().Post(s, "/api/maintenances/feed", nil, nil)
	return s.Person().ID.String()
}

// Scope fills the placeholders of one example, such as {system}: the same name stands for the same record. {new} is a new
// number each time, {admin} the administrator, {person} a person with {person email} and {person password}, {other system}
// a second system. Everything else is a fixture or a declared record.
type Scope struct {
	testing.TB
	*Declarations

	Product  *apptest.Product
	Fixtures Fixtures

	made   map[string]string
	person *apptest.Client
}

// NewScope begins an example.
func (d *Declarations) NewScope(t testing.TB, p *apptest.Product, fixtures Fixtures) *Scope {
	t.Helper()
	return &Scope{TB: t, Declarations: d, Product: p, Fixtures: fixtures, made: map[string]string{}}
}

var placeholder = regexp.MustCompile(`\{[a-z][a-z ]*\}`)

// Fill replaces the placeholders of a text, and makes the records that they stand for.
func (s *Scope) Fill(text string) string {
	s.Helper()
	return placeholder.ReplaceAllStringFunc(text, func(name string) string { return s.ID(strings.Trim(name, "{}")) })
}

// Placeholders are the names in a text.
func Placeholders(text string) []string {
	names := placeholder.FindAllString(text, -1)
	for i, name := range names {
		names[i] = strings.Trim(name, "{}")
	}
	return names
}

// ID is what a placeholder stands for.
func (s *Scope) ID(name string) string {
	s.Helper()
	switch name {
	case "new":
		return fmt.Sprintf("%010d", uuid.New().ID())
	case "admin":
		return s.Product.Admin.ID.String()
	case "person":
		return s.Person().ID.String()
	case "person email":
		return s.Person().Email
	case "person password":
		return s.Person().Password
	}
	if id, ok := s.made[name]; ok {
		return id
	}
	id := s.makeRecord(name)
	s.made[name] = id
	return id
}

func (s *Scope) makeRecord(name string) string {
	s.Helper()
	if fixture, ok := s.Fixtures[name]; ok {
		return fixture(s)
	}
	if other, ok := strings.CutPrefix(name, "other "); ok {
		apart := s.NewScope(s.TB, s.Product, s.Fixtures)
		apart.person = s.person
		return apart.ID(other)
	}
	record, ok := s.Records[name]
	require.True(s, ok, "{%s} is no declared record", name)
	var answer map[string]any
	s.client(record.As).Post(s, s.Fill(record.Path), s.body(record.Body), &answer)
	path := strings.Split(record.ID, ".")
	if record.ID == "" {
		path = []string{"id"}
	}
	var value any = answer
	for _, member := range path {
		object, _ := value.(map[string]any)
		value = object[member]
	}
	id, _ := value.(string)
	require.NotEmpty(s, id, "the answer of {%s} has no %s: %v", name, strings.Join(path, "."), answer)
	s.made[name] = id
	s.send(record.Then)
	return id
}

// Person is the person of the example.
func (s *Scope) Person() *apptest.Client {
	s.Helper()
	if s.person == nil {
		s.person = s.Product.Person(s)
	}
	return s.person
}

func (s *Scope) client(as string) *apptest.Client {
	s.Helper()
	switch as {
	case "person":
		return s.Person()
	case "anonymous":
		return s.Product.Anonymous()
	}
	require.Empty(s, as, "nobody is called that")
	return s.Product.Admin
}

// body fills the placeholders of a body.
func (s *Scope) body(body any) any {
	s.Helper()
	if body == nil {
		return nil
	}
	raw, err := json.Marshal(body)
	require.NoError(s, err)
	return json.RawMessage(s.Fill(string(raw)))
}

func (s *Scope) send(requests []Request) {
	s.Helper()
	for _, r := range requests {
		answer := s.Product.Admin.Call(s, r.Method, s.Fill(r.Path), s.body(r.Body))
		require.Less(s, answer.Status, http.StatusMultipleChoices, "%s %s: %s", r.Method, r.Path, answer.Body)
	}
}

// Prepared is an example, ready to be sent.
type Prepared struct {
	As           *apptest.Client
	Method, Path string
	Body         any
}

// Prepare makes what an example needs.
func (s *Scope) Prepare(method string, c Change) Prepared {
	s.Helper()
	for _, name := range c.Needs {
		s.ID(name)
	}
	path, body := s.Fill(c.Path), s.body(c.Body)
	s.send(c.Before)
	return Prepared{As: s.client(c.As), Method: method, Path: path, Body: body}
}

// Send makes the request, with the revision that a confirmation needs.
func (r Prepared) Send(t testing.TB) apptest.Answer {
	t.Helper()
	var headers []apptest.Header
	if record, ok := strings.CutSuffix(r.Path, "/confirmed"); ok {
		headers = append(headers, apptest.Header{Name: "If-Match", Value: r.As.Get(t, record, nil).Header.Get("ETag")})
	}
	return r.As.Call(t, r.Method, r.Path, r.Body, headers...)
}
