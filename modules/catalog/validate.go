package catalog

import (
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"countersign/problem"
	"countersign/text"
	"countersign/tool"
)

// Records are free, but what is read by people and put into scripts stays within bounds.
const (
	maxRecordDepth = 8
	maxRecordKey   = 100
	maxExponent    = 30
	maxEmail       = 254
	maxIssues      = 20
)

// validation collects every issue of an input and returns values in the form in which they are stored.
type validation struct {
	issues []problem.Issue
}

func (v *validation) report(path, format string, args ...any) {
	if len(v.issues) < maxIssues {
		v.issues = append(v.issues, problem.Issue{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// absorb takes over the issues of an Invalid error, so that they are reported with all others; any other error it
// returns.
func (v *validation) absorb(err error) error {
	if !problem.Is(err, problem.Invalid) {
		return err
	}
	v.issues = append(v.issues, problem.As(err).Issues...)
	return nil
}

// err is nil when nothing was reported.
func (v *validation) err() error {
	if len(v.issues) == 0 {
		return nil
	}
	var texts []string
	for _, issue := range v.issues {
		texts = append(texts, strings.TrimSpace(issue.Path+" "+issue.Message))
	}
	return problem.InvalidInput("Please correct: "+strings.Join(texts, "; ")+".", v.issues...)
}

func (v *validation) name(path, value string) string {
	value = v.line(path, value, MaxName)
	if value == "" && !slices.ContainsFunc(v.issues, func(i problem.Issue) bool { return i.Path == path }) {
		v.report(path, "must not be empty")
	}
	return value
}

// line is text without line breaks.
func (v *validation) line(path, value string, limit int) string {
	return v.visible(path, value, limit, func(rune) bool { return false })
}

func (v *validation) text(path, value string, limit int) string {
	return v.visible(path, strings.ReplaceAll(value, "\r\n", "\n"), limit, func(r rune) bool { return r == '\n' || r == '\t' })
}

func (v *validation) visible(path, value string, limit int, allowed func(rune) bool) string {
	value = norm.NFC.String(strings.TrimSpace(value))
	if n := utf8.RuneCountInString(value); n > limit {
		v.report(path, "is %d characters long, at most %d are allowed", n, limit)
	}
	if !utf8.ValidString(value) {
		v.report(path, "is not valid UTF-8")
	}
	for _, r := range value {
		if !allowed(r) && (unicode.IsControl(r) || text.Disguises(r)) {
			v.report(path, "has the character %U, which is not allowed", r)
			break
		}
	}
	return value
}

// filter checks text to look for, which may be anything that the database can compare.
func (v *validation) filter(path, value string) {
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		v.report(path, "is not text")
	}
}

// tags are a set: lower case, sorted, each once.
func (v *validation) tags(path string, values []string) []string {
	if len(values) > MaxTags {
		v.report(path, "has %d tags, at most %d are allowed", len(values), MaxTags)
		return values
	}
	tags := []string{}
	for i, value := range values {
		at := path + "[" + strconv.Itoa(i) + "]"
		tag := strings.ToLower(v.line(at, value, MaxTag))
		if tag == "" {
			v.report(at, "must not be empty")
		}
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// record checks a free object; reserved names may not be among its members.
func (v *validation) record(path string, value Record, reserved ...string) Record {
	if value == nil {
		return Record{}
	}
	for key := range value {
		if slices.ContainsFunc(reserved, func(name string) bool { return strings.EqualFold(name, key) }) {
			v.report(path, "must not have a member %s, which is reserved", key)
		}
	}
	before := len(v.issues)
	v.members(path, map[string]any(value), 1)
	if len(v.issues) > before {
		return value
	}
	canonical, err := tool.Canonical(value)
	switch {
	case err != nil:
		v.report(path, "is not a JSON object")
	case len(canonical) > MaxRecordBytes:
		v.report(path, "has %d bytes, at most %d are allowed", len(canonical), MaxRecordBytes)
	}
	return value
}

func (v *validation) members(path string, value any, depth int) {
	if depth > maxRecordDepth {
		v.report(path, "is nested more than %d levels deep", maxRecordDepth)
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if key == "" || utf8.RuneCountInString(key) > maxRecordKey || strings.ContainsFunc(key, unicode.IsControl) {
				v.report(path, "has a member whose name is empty, longer than %d characters, or has control characters", maxRecordKey)
				continue
			}
			v.members(path+"."+key, member, depth+1)
		}
	case []any:
		for i, element := range value {
			v.members(path+"["+strconv.Itoa(i)+"]", element, depth+1)
		}
	case string:
		if strings.ContainsRune(value, 0) {
			v.report(path, "has a NUL character")
		}
	case json.Number:
		// The database writes numbers out in full, so a huge exponent would become a huge text.
		_, exponent, found := strings.Cut(strings.ToLower(value.String()), "e")
		if n, err := strconv.Atoi(exponent); found && (err != nil || n > maxExponent || n < -maxExponent) {
			v.report(path, "is too large or too small a number; write it as text")
		}
	}
}

func (v *validation) contact(c NewContact) NewContact {
	c.Label = v.line("label", c.Label, MaxLabel)
	switch c.Type {
	case UserContact:
		if c.UserID == nil {
			v.report("userId", "is required for a contact of type user")
		}
		if c.Email != "" {
			v.report("email", "belongs to a contact of type mailbox")
		}
	case MailboxContact:
		if c.UserID != nil {
			v.report("userId", "belongs to a contact of type user")
		}
		c.Email = strings.TrimSpace(c.Email)
		address, err := mail.ParseAddress(c.Email)
		if err != nil || address.Address != c.Email || len(c.Email) > maxEmail || strings.ContainsFunc(c.Email, unicode.IsControl) {
			v.report("email", "must be an e-mail address such as team@example.com")
		}
	default:
		v.report("type", "must be user or mailbox")
	}
	return c
}

func (v *validation) link(l NewLink) NewLink {
	l.Label = v.line("label", l.Label, MaxLabel)
	l.URL = v.line("url", l.URL, MaxURL)
	u, err := url.Parse(l.URL)
	switch {
	case err != nil || u.Hostname() == "" || strings.ContainsFunc(l.URL, unicode.IsSpace):
		v.report("url", "must be a complete address such as https://example.com/page")
	case u.Scheme != "http" && u.Scheme != "https":
		v.report("url", "must begin with http:// or https://")
	case u.User != nil:
		v.report("url", "must not hold a user name or password")
	}
	return l
}

// system is the form in which a system's own fields are stored.
func (v *validation) system(s NewSystem) NewSystem {
	s.Name = v.name("name", s.Name)
	s.Description = v.text("description", s.Description, MaxDescription)
	s.Metadata = v.record("metadata", s.Metadata)
	s.Tags = v.tags("tags", s.Tags)
	return s
}

func (v *validation) group(g NewGroup) NewGroup {
	g.Name = v.name("name", g.Name)
	g.Description = v.text("description", g.Description, MaxDescription)
	g.Metadata = v.record("metadata", g.Metadata)
	return g
}

func (v *validation) environment(e NewEnvironment) NewEnvironment {
	e.Name = v.name("name", e.Name)
	e.Description = v.text("description", e.Description, MaxDescription)
	e.Fields = v.record("fields", e.Fields, "id", "name")
	return e
}
