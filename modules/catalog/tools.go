package catalog

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/problem"
	"countersign/tool"
)

// teamsRead is the rule of the people module that listing teams needs.
const teamsRead = "auth.teams.read"

// Paths of the REST resources that the tools use.
const (
	systemsPath      = "/api/catalog/systems"
	groupsPath       = "/api/catalog/groups"
	environmentsPath = "/api/catalog/environments"
	teamsPath        = "/api/teams"
	usersPath        = "/api/users"
)

// Tools are the tools of the catalog. They hold nothing of the module: each call goes through the caller's client.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{
		listSystemsTool(), getSystemTool(), listGroupsTool(), listEnvironmentsTool(), listTeamsTool(),
		createSystemTool(), updateSystemTool(), deleteSystemTool(), setSystemOwnerTool(), setSystemEnvironmentsTool(),
		addSystemContactTool(), removeSystemContactTool(), addSystemLinkTool(), removeSystemLinkTool(),
		createGroupTool(), updateGroupTool(), deleteGroupTool(), addSystemToGroupTool(), removeSystemFromGroupTool(),
		createEnvironmentTool(), updateEnvironmentTool(), deleteEnvironmentTool(),
	}
}

// deleted is the result of a tool that removes something.
type deleted struct {
	Deleted bool `json:"deleted"`
}

// briefSystem is what a model needs of a system to talk about it.
type briefSystem struct {
	ID           uuid.UUID `json:"id"`
	Name         string    `json:"name"`
	Description  string    `json:"description,omitempty"`
	Tags         []string  `json:"tags,omitempty"`
	Owners       []string  `json:"owners,omitempty" jsonschema:"description=Names of the teams that own it."`
	Groups       []string  `json:"groups,omitempty"`
	Environments []string  `json:"environments,omitempty"`
}

func brief(s System) briefSystem {
	b := briefSystem{ID: s.ID, Name: s.Name, Description: s.Description, Tags: s.Tags, Groups: names(s.Groups), Environments: names(s.Environments)}
	for _, owner := range s.Owners {
		b.Owners = append(b.Owners, owner.TeamName)
	}
	return b
}

func names(references []Reference) []string {
	var list []string
	for _, r := range references {
		list = append(list, r.Name)
	}
	return list
}

// briefGroup is what a model needs of a group.
type briefGroup struct {
	ID          uuid.UUID   `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	SystemIDs   []uuid.UUID `json:"systemIds,omitempty"`
}

// briefEnvironment is what a model needs of an environment.
type briefEnvironment struct {
	ID          uuid.UUID   `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Fields      Record      `json:"fields,omitempty"`
	SystemIDs   []uuid.UUID `json:"systemIds,omitempty"`
}

// read loads a record that an input names. One that is not there is an issue of that input.
func read[T any](ctx context.Context, c tool.Caller, collection string, id uuid.UUID, field string) (record T, etag string, err error) {
	etag, err = c.Client.Get(ctx, collection+"/"+id.String(), &record)
	if problem.Is(err, problem.NotFound) {
		e := problem.As(err)
		return record, "", problem.InvalidInput(e.Detail, problem.Issue{Path: field, Message: e.Detail})
	}
	return record, etag, err
}

// checkNameIsFree reports a name that another record of the collection has; except is the record that may have it.
func checkNameIsFree(ctx context.Context, c tool.Caller, v *validation, k access.Kind, collection, name string, except uuid.UUID) error {
	var page struct {
		Systems      []Reference `json:"systems"`
		Groups       []Reference `json:"groups"`
		Environments []Reference `json:"environments"`
	}
	if _, err := c.Client.Get(ctx, collection+"?limit=1&name="+url.QueryEscape(name), &page); err != nil {
		return err
	}
	for _, other := range append(append(page.Systems, page.Groups...), page.Environments...) {
		if other.ID != except {
			v.Report("name", "is taken: a %s named %s exists already (id %s)", k.Noun, other.Name, other.ID)
		}
	}
	return nil
}

// mayChange refuses a proposal that its applying would refuse for lack of access.
func mayChange(k access.Kind, name string, have, want access.Level) error {
	if have.Includes(want) {
		return nil
	}
	return k.Refusal(name, want)
}

// systemToChange reads the system that a change is proposed of, if the caller may make it; field is where the input
// names it.
func systemToChange(ctx context.Context, c tool.Caller, id uuid.UUID, field string, want access.Level) (live System, etag string, err error) {
	if live, etag, err = read[System](ctx, c, systemsPath, id, field); err != nil {
		return live, "", err
	}
	return live, etag, mayChange(systemKind, live.Name, live.Access, want)
}

// unchanged tells the model that its call would do nothing.
func unchanged(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return problem.InvalidInput("Nothing would change: "+text, problem.Issue{Message: text})
}

// nameSet is a set of names in a diff: each is a key, so that adding one does not move the others.
func nameSet(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, name := range list {
		set[name] = true
	}
	return set
}

// adopt puts the stored form of a value into an input that gives one.
func adopt[T any](field **T, stored T) {
	if *field != nil {
		*field = &stored
	}
}

// describeChange says in one sentence what an update changes.
func describeChange(k access.Kind, name string, changes []tool.Change) string {
	var fields []string
	renamed := ""
	for _, change := range changes {
		field, _, _ := strings.Cut(change.Path, ".")
		field, _, _ = strings.Cut(field, "[")
		switch {
		case field == "name":
			renamed, _ = change.After.(string)
		case len(fields) == 0 || fields[len(fields)-1] != field:
			fields = append(fields, field)
		}
	}
	what := "the " + strings.Join(fields, " and the ")
	switch {
	case renamed == "":
		return fmt.Sprintf("Change %s of the %s %s", what, k.Noun, name)
	case len(fields) == 0:
		return fmt.Sprintf("Rename the %s %s to %s", k.Noun, name, renamed)
	default:
		return fmt.Sprintf("Rename the %s %s to %s and change %s", k.Noun, name, renamed, what)
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// remove is the write of a tool that deletes what is at path.
func remove(ctx context.Context, c tool.Caller, path string) (deleted, error) {
	_, err := c.Client.Do(ctx, http.MethodDelete, path, nil, nil)
	return deleted{Deleted: err == nil}, err
}
