package catalog

import (
	"encoding/json"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/tool"
)

// Limits of free objects, which people read and scripts receive.
const (
	maxRecordDepth = 8
	maxRecordKey   = 100
	maxExponent    = 30
	maxEmail       = 254
	maxAddress     = 500
)

// validation checks an input and returns values in their stored form.
type validation struct{ problem.Issues }

func (v *validation) name(value string) string {
	return text.Required(&v.Issues, "name", text.Line(&v.Issues, "name", value, MaxName))
}

// record validates a free object; reserved names are refused as members.
func (v *validation) record(path string, value Record, reserved ...string) Record {
	if value == nil {
		return Record{}
	}
	for key := range value {
		if slices.ContainsFunc(reserved, func(name string) bool { return strings.EqualFold(name, key) }) {
			v.Report(path, "must not have a member %s, which is reserved", key)
		}
	}
	before := v.Count()
	v.members(path, map[string]any(value), 1)
	if v.Count() > before {
		return value
	}
	canonical, err := tool.Canonical(value)
	switch {
	case err != nil:
		v.Report(path, "is not a JSON object")
	case len(canonical) > MaxRecordBytes:
		v.Report(path, "has %d bytes, at most %d are allowed", len(canonical), MaxRecordBytes)
	}
	return value
}

func (v *validation) members(path string, value any, depth int) {
	if depth > maxRecordDepth {
		v.Report(path, "is nested more than %d levels deep", maxRecordDepth)
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if key == "" || utf8.RuneCountInString(key) > maxRecordKey ||
				strings.ContainsFunc(key, func(r rune) bool { return unicode.IsControl(r) || text.Disguises(r) }) {
				v.Report(
					path,
					"has a member whose name is empty, longer than %d characters, or has characters that control or cannot be seen",
					maxRecordKey,
				)
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
			v.Report(path, "has a NUL character")
		}
	case json.Number:
		// PostgreSQL writes numbers out in full, so a huge exponent would become a huge text.
		_, exponent, found := strings.Cut(strings.ToLower(value.String()), "e")
		if n, err := strconv.Atoi(exponent); found && (err != nil || n > maxExponent || n < -maxExponent) {
			v.Report(path, "is too large or too small a number; write it as text")
		}
	}
}

func (v *validation) contact(c NewContact) NewContact {
	c.Label = text.Line(&v.Issues, "label", c.Label, MaxLabel)
	switch c.Type {
	case UserContact:
		if c.UserID == nil {
			v.Report("userId", "is required for a contact of type user")
		}
		v.absent("email", c.Email, "mailbox")
		v.absent("address", c.Address, "phone, chat or pager")
	case MailboxContact:
		if c.UserID != nil {
			v.Report("userId", "belongs to a contact of type user")
		}
		v.absent("address", c.Address, "phone, chat or pager")
		c.Email = strings.TrimSpace(c.Email)
		address, err := mail.ParseAddress(c.Email)
		if err != nil || address.Address != c.Email || len(c.Email) > maxEmail || strings.ContainsFunc(c.Email, unicode.IsControl) {
			v.Report("email", "must be an e-mail address such as team@example.com")
		}
	case PhoneContact, ChatContact, PagerContact:
		if c.UserID != nil {
			v.Report("userId", "belongs to a contact of type user")
		}
		v.absent("email", c.Email, "mailbox")
		c.Address = text.Line(&v.Issues, "address", c.Address, maxAddress)
		phone, room := isPhone(c.Address), isRoom(c.Address)
		switch {
		case c.Type == PhoneContact && !phone:
			v.Report("address", "must be a telephone number such as +49 30 1234567")
		case c.Type == ChatContact && !room:
			v.Report("address", "must be an address that begins with https://, without a user name or password")
		case !phone && !room:
			v.Report("address", "must be a telephone number, or an address that begins with https://")
		}
	default:
		v.Report("type", "must be user, mailbox, phone, chat or pager")
	}
	return c
}

// absent reports a value that belongs to contacts of another type.
func (v *validation) absent(path, value, types string) {
	if value != "" {
		v.Report(path, "belongs to a contact of type %s", types)
	}
}

// phoneNumber matches usual spellings. Its characters form no link other than tel (RFC 3966).
var phoneNumber = regexp.MustCompile(`^\+?[0-9(][0-9 ()./-]*$`)

// isPhone reports whether a text is a telephone number: 3 to 15 digits (E.164) and separators.
func isPhone(s string) bool {
	digits := 0
	for _, r := range s {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return phoneNumber.MatchString(s) && digits >= 3 && digits <= 15
}

// isRoom reports whether a text is a web address that is safe to open.
func isRoom(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil && !strings.ContainsFunc(s, unicode.IsSpace)
}

func (v *validation) link(l NewLink) NewLink {
	l.Label = text.Line(&v.Issues, "label", l.Label, MaxLabel)
	l.URL = text.WebAddress(&v.Issues, "url", l.URL, MaxURL)
	return l
}

// system returns the stored form of a system's own fields.
func (v *validation) system(s NewSystem) NewSystem {
	s.Name = v.name(s.Name)
	s.Description = text.Lines(&v.Issues, "description", s.Description, MaxDescription)
	s.Metadata = v.record("metadata", s.Metadata)
	s.Tags = text.Tags(&v.Issues, "tags", s.Tags, MaxTags, MaxTag)
	return s
}

// newSystem returns the stored form of a new system with its parts.
func (v *validation) newSystem(s NewSystem) NewSystem {
	s = v.system(s)
	s.Contacts = each(v, "contacts", s.Contacts, MaxContacts, (*validation).contact)
	s.Links = each(v, "links", s.Links, MaxLinks, (*validation).link)
	v.atMost("environmentIds", len(s.EnvironmentIDs), maxPlaces)
	v.atMost("groupIds", len(s.GroupIDs), maxPlaces)
	return s
}

// each validates the elements of a list.
func each[T any](v *validation, path string, list []T, most int, check func(*validation, T) T) []T {
	v.atMost(path, len(list), most)
	stored := slices.Clone(list)
	for i, one := range list {
		var inner validation
		stored[i] = check(&inner, one)
		if err := inner.Err(); err != nil {
			_ = v.Absorb(inElement(path, i, err))
		}
	}
	return stored
}

// inElement prefixes the issues of an invalid list element with its path; other errors pass.
func inElement(path string, i int, err error) error {
	if !problem.Is(err, problem.Invalid) {
		return err
	}
	e := problem.As(err)
	placed := make([]problem.Issue, len(e.Issues))
	for n, issue := range e.Issues {
		placed[n] = problem.Issue{Path: path + "[" + strconv.Itoa(i) + "]." + issue.Path, Message: issue.Message}
	}
	return problem.InvalidInput(e.Detail, placed...)
}

func (v *validation) atMost(path string, n, most int) {
	if n > most {
		v.Report(path, "has %d entries, at most %d are allowed", n, most)
	}
}

// newGroup and newEnvironment are like newSystem.
func (v *validation) newGroup(g NewGroup) NewGroup {
	v.atMost("systemIds", len(g.SystemIDs), maxMembers)
	return v.group(g)
}

func (v *validation) newEnvironment(e NewEnvironment) NewEnvironment {
	v.atMost("systemIds", len(e.SystemIDs), maxMembers)
	return v.environment(e)
}

func (v *validation) group(g NewGroup) NewGroup {
	g.Name = v.name(g.Name)
	g.Description = text.Lines(&v.Issues, "description", g.Description, MaxDescription)
	g.Metadata = v.record("metadata", g.Metadata)
	return g
}

func (v *validation) environment(e NewEnvironment) NewEnvironment {
	e.Name = v.name(e.Name)
	e.Description = text.Lines(&v.Issues, "description", e.Description, MaxDescription)
	e.Fields = v.record("fields", e.Fields, "id", "name")
	return e
}
