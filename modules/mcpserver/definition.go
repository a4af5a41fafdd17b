package mcpserver

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/problem"
	"countersign/text"
	"countersign/tool"
)

// seen is a tool as its server has just described it.
type seen struct {
	name string
	// document is the definition in canonical form, and hash its SHA-256 in hexadecimal digits.
	document json.RawMessage
	hash     string
}

// remoteName is how the protocol lets tools be called.
var remoteName = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,128}$`)

// take makes the definition of a tool of what its server says, or says why it cannot be taken.
func take(t *sdk.Tool) (seen, string) {
	if !remoteName.MatchString(t.Name) {
		return seen{}, "Its name may have letters, digits, dots, slashes, hyphens and underscores only, at most 128."
	}
	d := Definition{Name: t.Name, Title: t.Title, Description: t.Description}
	for _, part := range []struct {
		value any
		into  *json.RawMessage
	}{{t.InputSchema, &d.InputSchema}, {t.OutputSchema, &d.OutputSchema}, {annotationsOf(t), &d.Annotations}} {
		if part.value == nil {
			continue
		}
		raw, err := tool.Canonical(part.value)
		if err != nil {
			return seen{}, "Its definition is not JSON."
		}
		*part.into = raw
	}
	if d.InputSchema == nil {
		return seen{}, "It has no schema of its arguments."
	}
	document, err := tool.Canonical(d)
	switch {
	case err != nil:
		return seen{}, "Its definition is not JSON."
	case len(document) > MaxDefinition:
		return seen{}, fmt.Sprintf("Its definition has %d bytes; at most %d are taken.", len(document), MaxDefinition)
	}
	if why := hides(document); why != "" {
		return seen{}, why
	}
	if _, err := tool.ParseSchema(d.InputSchema); err != nil {
		return seen{}, text.Shown(problem.As(err).Detail, maxReason)
	}
	return seen{t.Name, document, hashOf(document)}, ""
}

// maxReason bounds why a tool was left out, in characters.
const maxReason = 400

// annotationsOf are the hints of a tool, nil without any.
func annotationsOf(t *sdk.Tool) any {
	if t.Annotations == nil {
		return nil
	}
	return t.Annotations
}

func hashOf(document json.RawMessage) string {
	sum := sha256.Sum256(document)
	return hex.EncodeToString(sum[:])
}

// hides says that a definition has text that a person cannot see and a model reads: nobody could accept what they have not seen.
func hides(document json.RawMessage) string {
	var tree any
	if err := json.Unmarshal(document, &tree); err != nil {
		return "Its definition is not JSON."
	}
	var issues problem.Issues
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case string:
			text.Lines(&issues, "text", v, MaxDefinition)
		case []any:
			for _, element := range v {
				walk(element)
			}
		case map[string]any:
			for name, member := range v {
				text.Lines(&issues, "text", name, MaxDefinition)
				walk(member)
			}
		}
	}
	walk(tree)
	if issues.Count() == 0 {
		return ""
	}
	return "Its definition has characters that cannot be seen, so nobody could accept what a model would read."
}

// definitionOf reads a stored definition.
func definitionOf(document json.RawMessage) (*Definition, error) {
	if len(document) == 0 {
		return nil, nil //nolint:nilnil // none
	}
	d := &Definition{}
	if err := json.Unmarshal(document, d); err != nil {
		return nil, fmt.Errorf("read the definition of a tool: %w", err)
	}
	return d, nil
}

// takeAll takes what can be taken of a list of tools, by name, and says what is left out. Those that were accepted have their place
// whatever else the server comes with.
func takeAll(listed []*sdk.Tool, accepted []string) (taken []seen, left []LeftOut) {
	count := map[string]int{}
	for _, t := range listed {
		count[t.Name]++
	}
	told := map[string]bool{}
	for _, t := range listed {
		if count[t.Name] > 1 {
			if !told[t.Name] {
				left = append(left, leftOut(t.Name, "The server has several tools of this name."))
			}
			told[t.Name] = true
			continue
		}
		one, why := take(t)
		if why != "" {
			left = append(left, leftOut(t.Name, why))
			continue
		}
		taken = append(taken, one)
	}
	rank := func(s seen) int {
		if slices.Contains(accepted, s.name) {
			return 0
		}
		return 1
	}
	slices.SortFunc(taken, func(a, b seen) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.name, b.name)) })
	if len(taken) > MaxTools {
		for _, one := range taken[MaxTools:] {
			left = append(left, leftOut(one.name, fmt.Sprintf("The server has more tools than the %d that are kept.", MaxTools)))
		}
		taken = taken[:MaxTools]
	}
	if more := len(left) - maxLeftOut; more > 0 {
		left = append(left[:maxLeftOut], LeftOut{Name: "…", Reason: fmt.Sprintf("%d more are left out.", more)})
	}
	return taken, left
}

// maxLeftOut is how many tools that were left out are kept.
const maxLeftOut = 50

func leftOut(name, why string) LeftOut {
	const most = 80
	return LeftOut{Name: text.Shown(name, most), Reason: why}
}

// idOf is the last part of the name by which a tool is called here. It follows from the name that its server gives it, unless
// another tool has that id already: then it ends in a hash.
func idOf(name string, taken func(id string) bool) string {
	const most, digits = 64, 8
	var b strings.Builder
	previous := ' '
	for _, r := range name {
		switch {
		case unicode.IsUpper(r):
			if unicode.IsLower(previous) || unicode.IsDigit(previous) {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		case r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
		previous = r
	}
	id := strings.Trim(b.String(), "_-")
	if id != "" && len(id) <= most && !taken(id) {
		return id
	}
	begin, hash := strings.Trim(id[:min(len(id), most-digits-len("__999"))], "_-"), hashOf(json.RawMessage(name))[:digits]
	for n := 1; ; n++ {
		id = strings.TrimPrefix(begin+"_"+hash, "_")
		if n > 1 {
			// A server can call a tool as another one would be called with its hash.
			id += "_" + strconv.Itoa(n)
		}
		if !taken(id) {
			return id
		}
	}
}
