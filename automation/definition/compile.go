package definition

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"countersign/automation/action"
	"countersign/automation/expression"
	"countersign/internal/json/schema"
)

// Catalog is what a definition may name.
type Catalog struct {
	// Events are the event types by id, built-in triggers among them.
	Events map[string]Event
	// Actions are by id.
	Actions map[string]action.Action
	// Health is the JSON schema of the health of a system; nil for HealthSchema.
	Health json.RawMessage
	// DefaultZone is the time zone of schedules without one; "" refuses them.
	DefaultZone string
}

// Event is a type of events as definitions see it.
type Event struct {
	// Schema is the JSON schema of trigger.payload.
	Schema json.RawMessage
	// Subject is the kind of record that the event is about, such as catalog.system.
	Subject string
	// Opposites are the events that end the state which this one announces; without any, `for` is refused.
	Opposites []string
	// Config is the JSON schema of the trigger's config; nil for events of modules, which have none.
	Config json.RawMessage
}

// Issue is something that the author has to know, at its place in the text.
type Issue struct {
	// Path is such as actions[2].choose[0].when.
	Path string `json:"path"`
	// Line and Column begin at 1; 0 where the text has no such place.
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	// Nearest is the existing name that is most like an unknown one.
	Nearest string `json:"nearest,omitempty"`
	// Warning does not prevent saving.
	Warning bool `json:"warning,omitempty"`
}

// Compile reads the YAML text of a definition and checks it against a catalog. It answers all issues at once, ordered by their place. The
// definition is whole, with its defaults, where no issue is an error; Failed says so.
func Compile(text []byte, c Catalog) (Definition, []Issue) {
	r := &compiler{
		reader: &reader{places: map[string]*yaml.Node{}}, catalog: c, ids: map[string]string{}, schemas: map[string]*schema.Document{},
		stepTypes: map[string]stepType{},
	}
	root := r.parse(text)
	if root == nil {
		return Definition{}, r.issues
	}
	d := r.definition(root)
	r.check(&d)
	slices.SortStableFunc(r.issues, func(a, b Issue) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return d, r.issues
}

// Failed reports whether an issue prevents saving.
func Failed(issues []Issue) bool {
	return slices.ContainsFunc(issues, func(i Issue) bool { return !i.Warning })
}

// compiler is the state of one compilation.
type compiler struct {
	*reader
	catalog Catalog
	// ids are the paths of steps by id.
	ids map[string]string
	// count counts steps, and deep says that their depth has its issue.
	count int
	deep  bool
	// variants are what triggers give, and aboutSystem says which of them are about a system.
	variants    []expression.Variant
	aboutSystem []bool
	// produced are the artifacts of steps by id and type, and disabled says which steps do not run.
	produced map[string]map[string]expression.Type
	disabled map[string]bool
	// stepTypes keeps the types of artifacts, which most expressions of a definition share.
	stepTypes map[string]stepType
	// healthOf is the type of the health of a system.
	healthOf expression.Type
	// all is what some path through the actions makes.
	all flow
	// schemas are compiled schemas by their text.
	schemas map[string]*schema.Document
}

// fits checks a config against a schema. Members at the paths in templated hold templates: nothing is known of their values.
func (c *compiler) fits(of json.RawMessage, config any, at string, templated []string) {
	document := c.schemas[string(of)]
	if document == nil {
		var err error
		if document, err = schema.Parse(of); err != nil {
			c.add(at, "The schema of this config cannot be read, so it cannot be checked.")
			return
		}
		c.schemas[string(of)] = document
	}
	for _, i := range document.Check(config) {
		if slices.ContainsFunc(templated, func(t string) bool {
			return t == i.Path || strings.HasPrefix(t, i.Path+".") || strings.HasPrefix(t, i.Path+"[") ||
				i.Path == "" && !strings.Contains(i.Message, "required")
		}) {
			continue
		}
		path := at
		if i.Path != "" {
			path = join(at, i.Path)
		}
		c.add(path, "This %s.", strings.TrimSuffix(i.Message, "."))
	}
}
