package mask

// automaton finds many texts in one pass (Aho-Corasick). The root has a transition table, since ordinary text stays
// there; other nodes have few children.
type automaton struct {
	nodes []node
	root  [256]int32
	// deepest is the length of the longest form.
	deepest int
}

type node struct {
	byte byte
	// child is the first child, next the next sibling; 0 is none, since the root is no child.
	child, next int32
	fail        int32
	depth       int32
	// longest is the longest form that ends at this node or at one of its suffixes; 0 is none.
	longest int32
	soft    bool
}

func (a *automaton) add(f form) {
	if len(a.nodes) == 0 {
		a.nodes = []node{{}}
	}
	at := int32(0)
	a.deepest = max(a.deepest, len(f.text))
	for i := range len(f.text) {
		next := a.step(at, f.text[i])
		if next == 0 {
			next = int32(len(a.nodes))
			a.nodes = append(a.nodes, node{byte: f.text[i], next: a.nodes[at].child, depth: a.nodes[at].depth + 1})
			a.nodes[at].child = next
			if at == 0 {
				a.root[f.text[i]] = next
			}
		}
		at = next
	}
	a.nodes[at].longest = int32(len(f.text))
	a.nodes[at].soft = a.nodes[at].soft || f.soft
}

// step returns the child of a node for a byte, 0 for none.
func (a *automaton) step(at int32, b byte) int32 {
	if at == 0 {
		return a.root[b]
	}
	for child := a.nodes[at].child; child != 0; child = a.nodes[child].next {
		if a.nodes[child].byte == b {
			return child
		}
	}
	return 0
}

// finish links each node to the node of its longest suffix, breadth first.
func (a *automaton) finish() {
	if len(a.nodes) == 0 {
		return
	}
	queue := make([]int32, 0, len(a.nodes))
	for child := a.nodes[0].child; child != 0; child = a.nodes[child].next {
		queue = append(queue, child)
	}
	for i := 0; i < len(queue); i++ {
		parent := queue[i]
		for child := a.nodes[parent].child; child != 0; child = a.nodes[child].next {
			queue = append(queue, child)
			fail := a.follow(a.nodes[parent].fail, a.nodes[child].byte)
			a.nodes[child].fail = fail
			if a.nodes[child].longest == 0 {
				a.nodes[child].longest = a.nodes[fail].longest
			}
			a.nodes[child].soft = a.nodes[child].soft || a.nodes[fail].soft && a.nodes[fail].longest > 0
		}
	}
}

// follow returns the next node after a byte.
func (a *automaton) follow(at int32, b byte) int32 {
	for {
		if next := a.step(at, b); next != 0 || at == 0 {
			return next
		}
		at = a.nodes[at].fail
	}
}

// find returns where forms end in a text: for each end the longest. Touching and overlapping ones are joined
// immediately, so that a text made of matches needs no memory of its own.
func (a *automaton) find(text string) []span {
	if len(a.nodes) == 0 {
		return nil
	}
	var found []span
	at := int32(0)
	for i := range len(text) {
		if at = a.follow(at, text[i]); at == 0 || a.nodes[at].longest == 0 {
			continue
		}
		f := span{i + 1 - int(a.nodes[at].longest), i + 1}
		if a.nodes[at].soft {
			f = widen(text, f)
		}
		for n := len(found); n > 0 && f.start <= found[n-1].end; n = len(found) {
			f.start = min(f.start, found[n-1].start)
			f.end = max(f.end, found[n-1].end)
			found = found[:n-1]
		}
		found = append(found, f)
	}
	return found
}

// begun returns the length of the longest suffix of a text that begins a form.
func (a *automaton) begun(text string) int {
	if len(a.nodes) == 0 {
		return 0
	}
	at := int32(0)
	for i := max(0, len(text)-a.deepest); i < len(text); i++ {
		at = a.follow(at, text[i])
	}
	return int(a.nodes[at].depth)
}

// widen extends a base64 match to characters with bits of the value, and to padding.
func widen(text string, f span) span {
	if f.start > 0 && isBase64(text[f.start-1]) {
		f.start--
	}
	if f.end < len(text) && isBase64(text[f.end]) {
		f.end++
	}
	for range 2 {
		if f.end < len(text) && text[f.end] == '=' {
			f.end++
		}
	}
	return f
}

func isBase64(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '+' || b == '/' || b == '-' || b == '_'
}
