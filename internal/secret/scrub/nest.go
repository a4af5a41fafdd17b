package scrub

import "strings"

const (
	// maxNest bounds how deep lists and objects lie in each other that were given to a credential's name, maxNestBytes how
	// long they are.
	maxNest      = 8
	maxNestBytes = 8192
)

// nest is where the scanner is within a list or object that was given to a credential's name, such as
// {"apiKey":["..."]} or {"credentials":{"pw":"..."}} in the middle of a text.
type nest struct {
	level [maxNest]container
	depth int
	size  int
	// opens is the kind of the name after which a bracket may come next.
	opens keyKind
	// after is the last byte that is no space.
	after byte
}

// container is a list or an object. kind is that of its own name, within that of a name around it.
type container struct {
	list         bool
	kind, within keyKind
}

// nests reports whether what is in a list or object under a name of this kind may be its credential.
func (k keyKind) nests() bool { return k == password || k == strong || k == weak || k == cookie }

func (n *nest) top() container {
	if n.depth == 0 {
		return container{}
	}
	return n.level[n.depth-1]
}

// pass takes in the next byte.
func (n *nest) pass(c byte) {
	if n.opens == noKey && n.depth == 0 {
		return
	}
	switch c {
	case '[', '{':
		n.push(c == '[')
	case ']', '}':
		if n.depth > 0 {
			n.depth--
		}
	}
	if n.opens != noKey && strings.IndexByte("\"'`\\:= \t", c) < 0 {
		n.opens = noKey
	}
	if n.size++; n.depth == 0 || n.size > maxNestBytes {
		n.depth, n.size = 0, 0
	}
	if strings.IndexByte(" \t\r\n", c) < 0 {
		n.after = c
	}
}

func (n *nest) push(list bool) {
	around := n.top()
	inner := container{list: list, within: around.within}
	if !around.list && n.opens == noKey && around.kind != noKey {
		inner.within = around.kind
	}
	switch {
	case n.opens != noKey:
		inner.kind = n.opens
	case around.list:
		inner.kind = around.kind
	}
	if n.depth == maxNest {
		n.depth = 0
		return
	}
	n.level[n.depth] = inner
	n.depth++
}

// member is the kind of the credential that a member without a telling name may be a part of.
func (n *nest) member(name string) keyKind {
	if !isLeaf(name) {
		return noKey
	}
	return n.around()
}

// around is the kind of the name that the object of a member was given to.
func (n *nest) around() keyKind {
	top := n.top()
	if top.list {
		return noKey
	}
	if top.kind != noKey {
		return top.kind
	}
	return top.within
}

// element looks for a credential in the list that the scanner is in.
func (s *scanner) element(t string, end bool) finding {
	top := s.nest.top()
	if !top.list || s.nest.after != '[' && s.nest.after != ',' {
		return nothing
	}
	r := reader{t: t, end: end}
	q, ok := r.quoteMark()
	switch {
	case r.short:
		return unknown
	case !ok:
		return nothing
	case top.kind != noKey:
		return s.quotedValue(&r, q, func(value string) bool { return isMember(top.kind, value) })
	case top.within != noKey:
		return s.quotedValue(&r, q, func(value string) bool { return isPart(top.within, value) })
	}
	return nothing
}
