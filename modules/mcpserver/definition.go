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

	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/kit"
)

// listedTool is a tool as its server currently lists it.
type listedTool struct {
	name string
	// document is the canonical form of the definition, hash its SHA-256 in hexadecimal digits.
	document json.RawMessage
	hash     string
}

// remoteName matches the tool names that the protocol permits.
var remoteName = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,128}$`)

// parseTool parses a listed tool, or returns the reason why it is left out.
func parseTool(t *sdk.Tool) (listedTool, string) {
	if !remoteName.MatchString(t.Name) {
		return listedTool{}, "Its name may have letters, digits, dots, slashes, hyphens and underscores only, at most 128."
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
			return listedTool{}, "Its definition is not JSON."
		}
		*part.into = raw
	}
	if d.InputSchema == nil {
		return listedTool{}, "It has no schema of its arguments."
	}
	document, err := tool.Canonical(d)
	switch {
	case err != nil:
		return listedTool{}, "Its definition is not JSON."
	case len(document) > MaxDefinition:
		return listedTool{}, fmt.Sprintf("Its definition has %d bytes; at most %d are taken.", len(document), MaxDefinition)
	}
	if why := invisibleText(document); why != "" {
		return listedTool{}, why
	}
	if _, err := kit.ParseSchema(d.InputSchema); err != nil {
		return listedTool{}, text.Shown(problem.As(err).Detail, maxReason)
	}
	return listedTool{t.Name, document, hashOf(document)}, ""
}

// maxReason bounds the reason for leaving out a tool, in characters.
const maxReason = 400

// annotationsOf returns the annotations (hints) of a tool, or nil.
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

// invisibleText returns a reason when a definition has invisible Unicode (bidi controls, zero-width characters), which a
// model reads and an administrator cannot see.
func invisibleText(document json.RawMessage) string {
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

// definitionOf parses a stored definition.
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

// parseTools parses listed tools, sorted by name, and lists those left out with the reason. Accepted tools are kept
// first, so that a server cannot displace them by listing more.
func parseTools(listed []*sdk.Tool, accepted []string) (taken []listedTool, left []LeftOut) {
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
		one, why := parseTool(t)
		if why != "" {
			left = append(left, leftOut(t.Name, why))
			continue
		}
		taken = append(taken, one)
	}
	rank := func(s listedTool) int {
		if slices.Contains(accepted, s.name) {
			return 0
		}
		return 1
	}
	slices.SortFunc(taken, func(a, b listedTool) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.name, b.name)) })
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

// maxLeftOut bounds the stored list of tools that were left out.
const maxLeftOut = 50

func leftOut(name, why string) LeftOut {
	const most = 80
	return LeftOut{Name: text.Shown(name, most), Reason: why}
}

// idOf derives the last part of a tool's name here from its name at the server. If another tool has that id already,
// a hash is appended.
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
			// A server could name a tool like another tool with its hash.
			id += "_" + strconv.Itoa(n)
		}
		if !taken(id) {
			return id
		}
	}
}
