package skill

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/text"
)

var fieldKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

// validation checks an input and returns values in their stored form.
type validation struct{ problem.Issues }

// skill returns the stored form of a skill.
func (v *validation) skill(s NewSkill) NewSkill {
	s.Name = v.line("name", s.Name, MaxName)
	s.Description = v.line("description", s.Description, MaxDescription)
	s.Targets = v.targets("targets", s.Targets)
	s.SystemPrompt = v.text("systemPrompt", s.SystemPrompt)
	s.PromptTemplate = v.text("promptTemplate", s.PromptTemplate)
	v.placeholders("promptTemplate", s.PromptTemplate)
	s.SuggestedOutputFields = v.fields("suggestedOutputFields", s.SuggestedOutputFields)
	s.Tags = text.Tags(&v.Issues, "tags", s.Tags, MaxTags, MaxTag)
	switch {
	case slices.Contains(s.Targets, Chat) && s.SystemPrompt == "":
		v.Report("systemPrompt", "is required for a skill that targets chat: it is what the assistant follows")
	case s.SystemPrompt == "" && s.PromptTemplate == "":
		v.Report("systemPrompt", "or promptTemplate is required: a skill without text does nothing")
	}
	if len(s.SuggestedOutputFields) > 0 && !slices.Contains(s.Targets, Analyze) {
		v.Report("suggestedOutputFields", "belongs to a skill that targets ai_analyze")
	}
	if slices.ContainsFunc(builtins(), func(b Skill) bool { return text.Key(b.Name) == text.Key(s.Name) }) {
		v.Report("name", "is the name of a built-in skill; choose another one")
	}
	return s
}

// line validates a non-empty text without line breaks.
func (v *validation) line(path, value string, limit int) string {
	return text.Required(&v.Issues, path, text.Line(&v.Issues, path, value, limit))
}

func (v *validation) text(path, value string) string {
	value = text.Lines(&v.Issues, path, value, MaxPrompt)
	if scrub.Text(value) != value {
		v.Report(path, "seems to hold a password, a token or a key, and everybody who may see skills would read it; take it out")
	}
	return value
}

// targets returns the set in a fixed order.
func (v *validation) targets(path string, values []string) []string {
	if len(values) == 0 {
		v.Report(path, "must name at least one of %s and %s", Chat, Analyze)
	}
	for i, value := range values {
		if value != Chat && value != Analyze {
			v.Report(path+"["+strconv.Itoa(i)+"]", "must be %s or %s", Chat, Analyze)
		}
	}
	set := []string{}
	for _, target := range []string{Chat, Analyze} {
		if slices.Contains(values, target) {
			set = append(set, target)
		}
	}
	return set
}

// placeholders checks that every {{ is closed and holds a name, so that an error shows on saving and not in a run.
func (v *validation) placeholders(path, template string) {
	for rest := template; ; {
		before, after, found := strings.Cut(rest, "{{")
		if strings.Contains(before, "}}") {
			v.Report(path, "has }} without {{ before it")
			return
		}
		if !found {
			return
		}
		inside, next, closed := strings.Cut(after, "}}")
		switch {
		case !closed || strings.Contains(inside, "{{"):
			v.Report(path, "has {{ without }} after it")
			return
		case strings.TrimSpace(inside) == "":
			v.Report(path, "has an empty placeholder {{ }}")
			return
		}
		rest = next
	}
}

func (v *validation) fields(path string, values []AnswerField) []AnswerField {
	fields := []AnswerField{}
	if len(values) > MaxFields {
		v.Report(path, "has %d entries, at most %d are allowed", len(values), MaxFields)
		return fields
	}
	seen := map[string]bool{}
	for i, f := range values {
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case !fieldKey.MatchString(f.Key):
			v.Report(at+".key", "must be 1 to 64 letters, digits and underscores, and begin with a letter")
		case seen[f.Key]:
			v.Report(at+".key", "is there twice: %s", f.Key)
		}
		seen[f.Key] = true
		if !slices.Contains([]string{"string", "number", "boolean", "enum"}, f.Type) {
			v.Report(at+".type", "must be string, number, boolean or enum")
		}
		f.Description = v.line(at+".description", f.Description, maxFieldText)
		f.Options = v.options(at+".options", f)
		fields = append(fields, f)
	}
	return fields
}

func (v *validation) options(path string, f AnswerField) []string {
	if f.Type != "enum" {
		if len(f.Options) > 0 {
			v.Report(path, "belongs to a field of type enum")
		}
		return nil
	}
	if len(f.Options) == 0 || len(f.Options) > MaxOptions {
		v.Report(path, "must have 1 to %d values", MaxOptions)
		return nil
	}
	options := make([]string, 0, len(f.Options))
	for i, option := range f.Options {
		at := path + "[" + strconv.Itoa(i) + "]"
		option = v.line(at, option, maxOptionText)
		if slices.Contains(options, option) {
			v.Report(at, "is there twice: %s", option)
		}
		options = append(options, option)
	}
	return options
}
