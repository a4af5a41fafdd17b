package command

import (
	"strconv"
	"strings"
)

// A change replaces rows [fromA, toA) of the first file by rows [fromB, toB) of the second.
type change struct{ fromA, toA, fromB, toB int }

func diff(i *Invocation) int {
	given, files := i.options("uU:qiwbBsr", map[string]string{
		"unified": "u", "brief": "q", "ignore-case": "i", "ignore-all-space": "w", "ignore-space-change": "b", "report-identical-files": "s",
		"color": "color", "recursive": "r",
	}, false)
	unified, brief, same, context := false, false, false, 3
	key := func(line string) string { return line }
	for _, o := range given {
		inner := key
		switch o.name {
		case "u":
			unified = true
		case "U":
			unified, context = true, i.count(o.value)
		case "q":
			brief = true
		case "s":
			same = true
		case "i":
			key = func(line string) string { return strings.ToLower(inner(line)) }
		case "w":
			key = func(line string) string { return strings.Join(strings.Fields(inner(line)), "") }
		case "b":
			key = func(line string) string { return strings.Join(strings.Fields(inner(line)), " ") }
		case "B", "r":
			return i.fail(2, "the option -%s is not supported", o.name)
		}
	}
	if len(files) != 2 {
		return i.fail(2, "give two files")
	}
	a, b := i.diffInput(files[0]), i.diffInput(files[1])
	changes := i.changes(a, b, key)
	switch {
	case len(changes) == 0:
		if same {
			i.printf("Files %s and %s are identical\n", files[0], files[1])
		}
		return 0
	case brief:
		i.printf("Files %s and %s differ\n", files[0], files[1])
	case unified:
		i.printf("--- %s\n+++ %s\n", files[0], files[1])
		i.unified(a, b, changes, context)
	default:
		i.normal(a, b, changes)
	}
	return 1
}

func (i *Invocation) diffInput(name string) []string {
	defer func() {
		if v := recover(); v != nil {
			panic(exit(2))
		}
	}()
	return splitLines(i.input(name))
}

// changes finds what differs: the same start and end are cut off, and the longest common subsequence of the rest stays.
func (i *Invocation) changes(a, b []string, key func(string) string) []change {
	start, endA, endB := 0, len(a), len(b)
	for start < endA && start < endB && key(a[start]) == key(b[start]) {
		start++
	}
	for endA > start && endB > start && key(a[endA-1]) == key(b[endB-1]) {
		endA, endB = endA-1, endB-1
	}
	n, m := endA-start, endB-start
	if n*m > 16<<20 {
		return []change{{start, endA, start, endB}}
	}
	width := m + 1
	longest := make([]uint16, (n+1)*width)
	for x := n - 1; x >= 0; x-- {
		for y := m - 1; y >= 0; y-- {
			if key(a[start+x]) == key(b[start+y]) {
				longest[x*width+y] = longest[(x+1)*width+y+1] + 1
			} else {
				longest[x*width+y] = max(longest[(x+1)*width+y], longest[x*width+y+1])
			}
		}
	}
	var out []change
	x, y := 0, 0
	for x < n || y < m {
		if x < n && y < m && key(a[start+x]) == key(b[start+y]) {
			x, y = x+1, y+1
			continue
		}
		c := change{start + x, 0, start + y, 0}
		for (x < n || y < m) && (x >= n || y >= m || key(a[start+x]) != key(b[start+y])) {
			if y >= m || x < n && longest[(x+1)*width+y] >= longest[x*width+y+1] {
				x++
			} else {
				y++
			}
		}
		c.toA, c.toB = start+x, start+y
		out = append(out, c)
	}
	return out
}

func rangeOf(from, to int) string {
	switch to - from {
	case 0:
		return strconv.Itoa(from)
	case 1:
		return strconv.Itoa(from + 1)
	}
	return strconv.Itoa(from+1) + "," + strconv.Itoa(to)
}

func (i *Invocation) normal(a, b []string, changes []change) {
	for _, c := range changes {
		kind := "c"
		switch {
		case c.fromA == c.toA:
			kind = "a"
		case c.fromB == c.toB:
			kind = "d"
		}
		i.printf("%s%s%s\n", rangeOf(c.fromA, c.toA), kind, rangeOf(c.fromB, c.toB))
		for _, line := range a[c.fromA:c.toA] {
			i.printf("< %s\n", line)
		}
		if kind == "c" {
			i.printf("---\n")
		}
		for _, line := range b[c.fromB:c.toB] {
			i.printf("> %s\n", line)
		}
	}
}

func (i *Invocation) unified(a, b []string, changes []change, context int) {
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].fromA-changes[n-1].toA <= 2*context {
			n++
		}
		hunk := changes[:n]
		changes = changes[n:]
		first, last := hunk[0], hunk[n-1]
		before := min(context, first.fromA)
		after := min(context, len(a)-last.toA)
		span := func(from, to int) string {
			switch to - from {
			case 0:
				return strconv.Itoa(from) + ",0"
			case 1:
				return strconv.Itoa(from + 1)
			}
			return strconv.Itoa(from+1) + "," + strconv.Itoa(to-from)
		}
		i.printf("@@ -%s +%s @@\n", span(first.fromA-before, last.toA+after), span(first.fromB-before, last.toB+after))
		at := first.fromA - before
		for _, c := range hunk {
			for _, line := range a[at:c.fromA] {
				i.printf(" %s\n", line)
			}
			for _, line := range a[c.fromA:c.toA] {
				i.printf("-%s\n", line)
			}
			for _, line := range b[c.fromB:c.toB] {
				i.printf("+%s\n", line)
			}
			at = c.toA
		}
		for _, line := range a[at : at+after] {
			i.printf(" %s\n", line)
		}
	}
}
