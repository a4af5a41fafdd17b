package definition

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// splice replaces a part of a text, by byte offsets.
type splice struct {
	from, to int
	text     string
}

// frame is where a value stands.
type frame struct {
	// flow is within brackets.
	flow bool
	// keyEnd is the offset behind the colon of the member whose value it is, and -1 for others. indent counts the spaces before the key.
	keyEnd, indent int
}

// difference is the first change that brings a node nearer to a value; nil where they are the same.
func (p *patcher) difference(n *yaml.Node, want any, at frame) *splice {
	have := (&reader{places: map[string]*yaml.Node{}}).json(n, "")
	if same(have, want) {
		return nil
	}
	switch w := want.(type) {
	case map[string]any:
		if n.Kind == yaml.MappingNode && len(n.Content) > 0 && len(w) > 0 {
			return p.memberDifference(n, w, at)
		}
	case []any:
		h, ok := have.([]any)
		if ok && len(h) > 0 && len(w) > 0 {
			return p.elementDifference(n, h, w, at)
		}
	}
	return p.replace(n, want, at)
}

func (p *patcher) memberFrame(n *yaml.Node, i int, at frame) frame {
	key := n.Content[2*i]
	_, end := p.span(key, true)
	colon := strings.IndexByte(p.text[end:], ':')
	if colon < 0 || strings.TrimSpace(p.text[end:end+colon]) != "" { // A member in brackets without a value.
		return frame{flow: true, keyEnd: end}
	}
	return frame{flow: at.flow || n.Style&yaml.FlowStyle != 0, keyEnd: end + colon + 1, indent: key.Column - 1}
}

func (p *patcher) memberDifference(n *yaml.Node, want map[string]any, at frame) *splice {
	var names []string
	for i := 0; 2*i+1 < len(n.Content); i++ {
		name := n.Content[2*i].Value
		names = append(names, name)
		if value, ok := want[name]; ok {
			if c := p.difference(n.Content[2*i+1], value, p.memberFrame(n, i, at)); c != nil {
				return c
			}
		}
	}
	for _, name := range sortedNames(want) {
		if !slices.Contains(names, name) {
			return p.insertMember(n, name, want[name], at)
		}
	}
	for i, name := range names {
		if _, ok := want[name]; !ok {
			return p.removeMember(n, i, at)
		}
	}
	return nil
}

func sortedNames(m map[string]any) []string {
	order := map[string]int{}
	for i, name := range slices.Concat(definitionMembers, triggerMembers, stepMembers) {
		order[name] = i + 1
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := order[a] - order[b]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}

func (p *patcher) elementDifference(n *yaml.Node, have, want []any, at frame) *splice {
	prefix := 0
	for prefix < min(len(have), len(want)) && same(have[prefix], want[prefix]) {
		prefix++
	}
	suffix := 0
	for suffix < min(len(have), len(want))-prefix && same(have[len(have)-1-suffix], want[len(want)-1-suffix]) {
		suffix++
	}
	switch {
	case len(have) == prefix+suffix:
		return p.insertElement(n, prefix, want[prefix], at)
	case len(want) == prefix+suffix:
		return p.removeElement(n, prefix, at)
	default:
		return p.difference(n.Content[prefix], want[prefix], frame{flow: at.flow || n.Style&yaml.FlowStyle != 0, keyEnd: -1})
	}
}

func isCollection(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	default:
		return false
	}
}

func isEmptyScalar(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == ""
}

// replace writes a value in the place of a node, in the style of the node where that can hold it.
func (p *patcher) replace(n *yaml.Node, want any, at frame) *splice {
	flow := at.flow || n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle != 0 && len(n.Content) > 0 || !isCollection(want)
	from, to := p.span(n, at.flow)
	if isEmptyScalar(n) && at.keyEnd >= 0 {
		from, to = at.keyEnd, at.keyEnd
	}
	node := nodeOf(want)
	if text, ok := want.(string); ok && n.Kind == yaml.ScalarNode {
		keepStyle(node, n, text)
	}
	if at.flow && node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		node.Style = yaml.DoubleQuotedStyle
	}
	block := n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle == 0
	switch {
	case at.keyEnd >= 0 && (!flow || block || from == at.keyEnd || node.Style&yaml.LiteralStyle != 0):
		return &splice{at.keyEnd, to, p.member(node, flow, at.indent)}
	default:
		return &splice{from, to, p.elementText(node, flow, max(0, n.Column-3))}
	}
}

// keepStyle quotes a text as the one before it was quoted, where that is possible.
func keepStyle(node, before *yaml.Node, text string) {
	switch {
	case strings.Contains(text, "\n"):
	case before.Style&yaml.DoubleQuotedStyle != 0:
		node.Style = yaml.DoubleQuotedStyle
	case before.Style&yaml.SingleQuotedStyle != 0 && node.Style == 0:
		node.Style = yaml.SingleQuotedStyle
	}
}

// encoded is the text of a value in a list or an object, without the last line end.
func encoded(n *yaml.Node) string {
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if e.Encode(n) != nil || e.Close() != nil { // The nodes are texts, numbers, lists and objects.
		return ""
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func styled(n *yaml.Node, flow bool) *yaml.Node {
	if flow && n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	return n
}

// member is the text of a value behind the colon of its name.
func (p *patcher) member(n *yaml.Node, flow bool, indent int) string {
	whole := encoded(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{textNode("k"), styled(n, flow)}})
	return indented(strings.TrimPrefix(whole, "k:"), indent)
}

// elementText is the text of a value behind the dash of a list.
func (p *patcher) elementText(n *yaml.Node, flow bool, indent int) string {
	whole := encoded(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{styled(n, flow)}})
	return indented(strings.TrimPrefix(whole, "- "), indent)
}

// indented adds spaces to all lines but the first.
func indented(text string, indent int) string {
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = strings.Repeat(" ", indent) + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

func (p *patcher) lineEnd(offset int) int {
	if i := strings.IndexByte(p.text[offset:], '\n'); i >= 0 {
		return offset + i
	}
	return len(p.text)
}

func (p *patcher) lineStart(offset int) int { return strings.LastIndexByte(p.text[:offset], '\n') + 1 }

// valueEnd is the offset behind the value of a member.
func (p *patcher) valueEnd(n *yaml.Node, i int, at frame) int {
	f := p.memberFrame(n, i, at)
	if value := n.Content[2*i+1]; !isEmptyScalar(value) {
		_, end := p.span(value, f.flow)
		return end
	}
	return f.keyEnd
}

func (p *patcher) insertMember(n *yaml.Node, name string, value any, at frame) *splice {
	last := len(n.Content)/2 - 1
	end := p.valueEnd(n, last, at)
	if at.flow || n.Style&yaml.FlowStyle != 0 {
		return &splice{end, end, ", " + encoded(textNode(name)) + ":" + p.member(flowText(nodeOf(value)), true, 0)}
	}
	indent := n.Content[0].Column - 1
	end = p.lineEnd(end)
	return &splice{end, end, "\n" + strings.Repeat(" ", indent) + encoded(textNode(name)) + ":" + p.member(nodeOf(value), false, indent)}
}

// flowText makes the texts of a value fit into brackets.
func flowText(n *yaml.Node) *yaml.Node {
	if n.Style&yaml.LiteralStyle != 0 {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, inner := range n.Content {
		flowText(inner)
	}
	return n
}

func (p *patcher) removeMember(n *yaml.Node, i int, at frame) *splice {
	if len(n.Content) == 2 {
		return p.replace(n, map[string]any{}, at)
	}
	start, _ := p.span(n.Content[2*i], true)
	end := p.valueEnd(n, i, at)
	last := 2*i+2 >= len(n.Content)
	if at.flow || n.Style&yaml.FlowStyle != 0 {
		if last {
			return &splice{p.valueEnd(n, i-1, at), end, ""}
		}
		next, _ := p.span(n.Content[2*i+2], true)
		return &splice{start, next, ""}
	}
	return p.removeLines(start, end)
}

// removeLines removes the lines of a member or an element. One that begins behind a dash makes room for its successor.
func (p *patcher) removeLines(start, end int) *splice {
	from, to := p.lineStart(start), p.lineEnd(end)
	if strings.TrimLeft(p.text[from:start], " ") != "" {
		to += len(p.text[to:]) - len(strings.TrimLeft(p.text[to:], " \n"))
		return &splice{start, to, ""}
	}
	if to < len(p.text) {
		return &splice{from, to + 1, ""}
	}
	return &splice{max(0, from-1), to, ""}
}

// dash is the offset of the dash before an element of a list.
func (p *patcher) dash(n *yaml.Node, i int) int {
	for line := n.Content[i].Line; line >= n.Line; line-- {
		if at := p.offset(line, n.Column); at < len(p.text) && p.text[at] == '-' {
			return at
		}
	}
	start, _ := p.span(n.Content[i], false)
	return start
}

func (p *patcher) elementEnd(n *yaml.Node, i int, flow bool) int {
	if isEmptyScalar(n.Content[i]) && !flow {
		return p.dash(n, i) + 1
	}
	_, end := p.span(n.Content[i], flow)
	return end
}

func (p *patcher) insertElement(n *yaml.Node, i int, value any, at frame) *splice {
	node := nodeOf(value)
	if at.flow || n.Style&yaml.FlowStyle != 0 {
		text := p.elementText(flowText(node), true, 0)
		if i > 0 {
			end := p.elementEnd(n, i-1, true)
			return &splice{end, end, ", " + text}
		}
		start, _ := p.span(n.Content[0], true)
		return &splice{start, start, text + ", "}
	}
	indent := n.Column - 1
	text := "- " + p.elementText(node, false, indent)
	if i > 0 {
		end := p.lineEnd(p.elementEnd(n, i-1, false))
		return &splice{end, end, "\n" + strings.Repeat(" ", indent) + text}
	}
	start := p.dash(n, 0)
	return &splice{start, start, text + "\n" + strings.Repeat(" ", indent)}
}

func (p *patcher) removeElement(n *yaml.Node, i int, at frame) *splice {
	if len(n.Content) == 1 {
		return p.replace(n, []any{}, at)
	}
	if at.flow || n.Style&yaml.FlowStyle != 0 {
		if i == len(n.Content)-1 {
			return &splice{p.elementEnd(n, i-1, true), p.elementEnd(n, i, true), ""}
		}
		start, _ := p.span(n.Content[i], true)
		next, _ := p.span(n.Content[i+1], true)
		return &splice{start, next, ""}
	}
	return p.removeLines(p.dash(n, i), p.elementEnd(n, i, false))
}
