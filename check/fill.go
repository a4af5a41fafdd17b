package check

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"countersign/check/template"
	"countersign/internal/json/schema"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/reference"
)

// settings are a decoded config: a tree, and its texts with templates or secrets to fill.
type settings struct {
	schema    *Schema
	tree      any
	templates map[string]*template.Template
	// secrets are the names of the referenced secrets.
	secrets []string
	// ready is the decoded struct, when nothing has to be filled.
	ready any
}

const secretMark = "${{"

// read decodes a config of a kind and finds the texts to fill. Paths of issues are those of the config.
func (s *Schema) read(config json.RawMessage) (*settings, []problem.Issue) {
	tree, issues := s.parse(config)
	if len(issues) > 0 {
		return nil, issues
	}
	in := &settings{schema: s, tree: tree, templates: map[string]*template.Template{}}
	s.document.Texts(tree, func(path string, at *schema.Node, text string) string {
		var message string
		switch {
		case at.Has(xSecret):
			message = in.secretText(at, text)
		case strings.Contains(text, secretMark) && refersToSecret(text):
			message = "cannot hold a secret. That is possible " + s.placesOf(xSecret)
		case at.Has(xTemplate) && template.Braces(text):
			t, err := template.Parse(text)
			if err != nil {
				message = err.Error()
				break
			}
			in.templates[path] = t
		case !at.Has(xTemplate) && !at.Has(xLiteral) && template.Holds(text):
			message = "is no template. {{ }} is possible " + s.placesOf(xTemplate)
		}
		if message != "" {
			issues = append(issues, problem.Issue{Path: path, Message: message})
		}
		return text
	})
	if len(issues) > 0 {
		return nil, issues
	}
	ready, issues := s.decode(tree)
	if len(issues) > 0 {
		return nil, issues
	}
	if issues := slices.DeleteFunc(rules(ready), func(i problem.Issue) bool { return in.templates[i.Path] != nil }); len(issues) > 0 {
		return nil, issues
	}
	if len(in.templates) == 0 && len(in.secrets) == 0 {
		in.ready, in.tree = ready, nil
	}
	return in, nil
}

// secretText validates the text of a secret field.
func (in *settings) secretText(at *schema.Node, text string) string {
	names, err := reference.References(text)
	if err != nil {
		return "has something that is no reference to a secret. Write ${{ secrets.NAME }}, with capital letters, digits and underscores"
	}
	if len(names) == 0 && text != "" && !at.Has(xLiteral) {
		return "must be a secret of the vault: write ${{ secrets.NAME }}"
	}
	for _, name := range names {
		if !slices.Contains(in.secrets, name) {
			in.secrets = append(in.secrets, name)
		}
	}
	return ""
}

func refersToSecret(text string) bool {
	for rest := text; ; {
		_, inside, found := strings.Cut(rest, secretMark)
		if !found {
			return false
		}
		if strings.HasPrefix(strings.TrimLeft(inside, " \t"), "secrets") {
			return true
		}
		rest = inside
	}
}

// placesOf lists the text fields with a note.
func (s *Schema) placesOf(note string) string {
	var names []string
	s.document.Each(func(path string, at *schema.Node) {
		if at.Has(note) && slices.Contains(at.Types(), "string") {
			names = append(names, path)
		}
	})
	if len(names) == 0 {
		return "in no field of this kind"
	}
	slices.Sort(names)
	return "in " + strings.Join(names, ", ")
}

// fill decodes a config with its texts filled for one run. Its error is a *Failure.
func (in *settings) fill(path string, values func() map[string]any, secrets map[string]secret.Value) (any, error) {
	if in.ready != nil {
		return in.ready, nil
	}
	var failed error
	tree := in.schema.document.Texts(copied(in.tree), func(at string, _ *schema.Node, text string) string {
		t := in.templates[at]
		if t == nil || failed != nil {
			return text
		}
		filled, err := t.Render(values())
		if err != nil {
			failed = Fail(TemplateFailed, "The template of "+join(path, at)+" cannot be filled: "+err.Error()+".")
		}
		return filled
	})
	if failed != nil {
		return nil, failed
	}
	if len(in.templates) > 0 {
		if issues := in.schema.issues(tree, unfilledSecret); len(issues) > 0 {
			return nil, notRunnable(
				"Filled with the values of the environment and the system, the configuration is not valid: ",
				under(path, issues),
			)
		}
	}
	tree = in.schema.document.Texts(tree, func(at string, n *schema.Node, text string) string {
		if !unfilledSecret(n, text) || failed != nil {
			return text
		}
		filled, err := reference.Fill(text, secrets)
		if err != nil {
			failed = Fail(SecretMissing, "A secret of "+join(path, at)+" is missing: "+problem.As(err).Detail)
		}
		return filled
	})
	if failed != nil {
		return nil, failed
	}
	config, issues := in.schema.decode(tree)
	if len(issues) == 0 {
		issues = rules(config)
	}
	if len(issues) > 0 {
		return nil, notRunnable("The configuration is not valid: ", under(path, issues))
	}
	return config, nil
}

func notRunnable(intro string, issues []problem.Issue) *Failure {
	texts := make([]string, 0, 3)
	for _, i := range issues[:min(len(issues), 3)] {
		texts = append(texts, strings.TrimSpace(i.Path+" "+i.Message))
	}
	f := Fail(NotRunnable, intro+strings.Join(texts, "; ")+".")
	f.err = problem.InvalidInput(f.Message, issues...)
	return f
}

// values returns the variables of templates.
func (s Scope) values() map[string]any {
	values := map[string]any{
		"check":  map[string]any{"id": s.Check.ID.String(), "name": s.Check.Name, "intervalSeconds": s.Check.IntervalSeconds},
		"system": map[string]any{"id": s.System.ID.String(), "name": s.System.Name, "metadata": s.System.Metadata},
	}
	if s.Environment != nil {
		fields := make(map[string]any, len(s.Environment.Fields)+2)
		maps.Copy(fields, s.Environment.Fields)
		fields["id"], fields["name"] = s.Environment.ID.String(), s.Environment.Name
		values["environment"] = fields
	}
	return values
}

// asFailure unwraps a Failure, nil without one.
func asFailure(err error) *Failure {
	f, _ := errors.AsType[*Failure](err)
	return f
}
