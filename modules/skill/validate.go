package skill

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"countersign/problem"
	"countersign/scrub"
	"countersign/text"
)

var fieldKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

// maxIssues keeps an answer about a hopeless input readable.
const maxIssues = 20

// validation collects every issue of an input and returns values in the form in which they are stored.
type validation struct {
	issues []problem.Issue
}

func (v *validation) report(path, format string, args ...any) {
	if len(v.issues) < maxIssues {
		v.issues = append(v.issues, problem.Issue{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// err is nil when nothing was reported.
func (v *validation) err() error {
	if len(v.issues) == 0 {
		return nil
	}
	texts := make([]string, 0, len(v.issues))
	for _, issue := range v.issues {
		texts = append(texts, issue.Path+" "+issue.Message)
	}
	return problem.InvalidInput("Please correct: "+strings.Join(texts, "; ")+".", v.issues...)
}

// skill is the form in which a skill is stored.
func (v *validation) skill(s NewSkill) NewSkill {
	s.Name = v.line("name", s.Name, MaxName)
	s.Description = v.line("description", s.Description, MaxDescription)
	s.Targets = v.targets("targets", s.Targets)
	s.SystemPrompt = v.text("systemPrompt", s.SystemPrompt)
	s.PromptTemplate = v.text("promptTemplate", s.PromptTemplate)
	v.placeholders("promptTemplate", s.PromptTemplate)
	s.SuggestedOutputFields = v.fields("suggestedOutputFields", s.SuggestedOutputFields)
	s.Tags = v.tags("tags", s.Tags)
	switch {
	case slices.Contains(s.Targets, Chat) && s.SystemPrompt == "":
		v.report("systemPrompt", "is required for a skill that targets chat: it is what the assistant follows")
	case s.SystemPrompt == "" && s.PromptTemplate == "":
		v.report("systemPrompt", "or promptTemplate is required: a skill without text does nothing")
	}
	if len(s.SuggestedOutputFields) > 0 && !slices.Contains(s.Targets, Analyze) {
		v.report("suggestedOutputFields", "belongs to a skill that targets ai_analyze")
	}
	if slices.ContainsFunc(builtins(), func(b Skill) bool { return text.Key(b.Name) == text.Key(s.Name) }) {
		v.report("name", "is the name of a built-in skill; choose another one")
	}
	return s
}

// line is text without line breaks that must not be empty.
func (v *validation) line(path, value string, limit int) string {
	value = v.visible(path, value, limit, func(rune) bool { return false })
	if value == "" {
		v.report(path, "must not be empty")
	}
	return value
}

func (v *validation) text(path, value string) string {
	value = strings.ReplaceAll(value, "\r\n", "\n")
	value = v.visible(path, value, MaxPrompt, func(r rune) bool { return r == '\n' || r == '\t' })
	if scrub.Text(value) != value {
		v.report(path, "seems to hold a password, a token or a key, and everybody who may see skills would read it; take it out")
	}
	return value
}

func (v *validation) visible(path, value string, limit int, allowed func(rune) bool) string {
	if !utf8.ValidString(value) {
		v.report(path, "is not valid UTF-8")
		return ""
	}
	value = norm.NFC.String(strings.TrimSpace(value))
	if n := utf8.RuneCountInString(value); n > limit {
		v.report(path, "is %d characters long, at most %d are allowed", n, limit)
	}
	for _, r := range value {
		if !allowed(r) && unicode.IsControl(r) || text.Disguises(r) {
			v.report(path, "has the character %U, which is not allowed", r)
			break
		}
	}
	return value
}

// targets are a set in a fixed order.
func (v *validation) targets(path string, values []string) []string {
	if len(values) == 0 {
		v.report(path, "must name at least one of %s and %s", Chat, Analyze)
	}
	for i, value := range values {
		if value != Chat && value != Analyze {
			v.report(path+"["+strconv.Itoa(i)+"]", "must be %s or %s", Chat, Analyze)
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

// placeholders checks that every {{ has its }} and names something, so that a slip shows now and not in a run.
func (v *validation) placeholders(path, template string) {
	for rest := template; ; {
		before, after, found := strings.Cut(rest, "{{")
		if strings.Contains(before, "}}") {
			v.report(path, "has }} without {{ before it")
			return
		}
		if !found {
			return
		}
		inside, next, closed := strings.Cut(after, "}}")
		switch {
		case !closed || strings.Contains(inside, "{{"):
			v.report(path, "has {{ without }} after it")
			return
		case strings.TrimSpace(inside) == "":
			v.report(path, "has an empty placeholder {{ }}")
			return
		}
		rest = next
	}
}

func (v *validation) fields(path string, values []AnswerField) []AnswerField {
	fields := []AnswerField{}
	if len(values) > MaxFields {
		v.report(path, "has %d entries, at most %d are allowed", len(values), MaxFields)
		return fields
	}
	seen := map[string]bool{}
	for i, f := range values {
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case !fieldKey.MatchString(f.Key):
			v.report(at+".key", "must be 1 to 64 letters, digits and underscores, and begin with a letter")
		case seen[f.Key]:
			v.report(at+".key", "is there twice: %s", f.Key)
		}
		seen[f.Key] = true
		if !slices.Contains([]string{"string", "number", "boolean", "enum"}, f.Type) {
			v.report(at+".type", "must be string, number, boolean or enum")
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
			v.report(path, "belongs to a field of type enum")
		}
		return nil
	}
	if len(f.Options) == 0 || len(f.Options) > MaxOptions {
		v.report(path, "must have 1 to %d values", MaxOptions)
		return nil
	}
	options := make([]string, 0, len(f.Options))
	for i, option := range f.Options {
		at := path + "[" + strconv.Itoa(i) + "]"
		option = v.line(at, option, maxOptionText)
		if slices.Contains(options, option) {
			v.report(at, "is there twice: %s", option)
		}
		options = append(options, option)
	}
	return options
}

// tags are a set: lower case, sorted, each once.
func (v *validation) tags(path string, values []string) []string {
	tags := []string{}
	if len(values) > MaxTags {
		v.report(path, "has %d tags, at most %d are allowed", len(values), MaxTags)
		return tags
	}
	for i, value := range values {
		tags = append(tags, v.line(path+"["+strconv.Itoa(i)+"]", strings.ToLower(value), MaxTag))
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// query is a text to look for, in the form in which names are compared.
func (v *validation) query(path, value string) string {
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		v.report(path, "is not text")
		return ""
	}
	return text.Key(value)
}
