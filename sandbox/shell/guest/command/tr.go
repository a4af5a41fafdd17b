package command

import (
	"bufio"
	"strings"
)

func tr(i *Invocation) int {
	given, sets := i.options("cCdst", map[string]string{"complement": "c", "delete": "d", "squeeze-repeats": "s", "truncate-set1": "t"}, true)
	var complement, remove, squeeze, truncate bool
	for _, o := range given {
		switch o.name {
		case "c", "C":
			complement = true
		case "d":
			remove = true
		case "s":
			squeeze = true
		case "t":
			truncate = true
		}
	}
	if len(sets) == 0 || len(sets) == 1 && !remove && !squeeze || len(sets) > 2 || len(sets) == 2 && remove && !squeeze {
		return i.fail(1, "give one set with -d or -s, else two")
	}
	first := i.set(sets[0])
	in := make(map[rune]int, len(first))
	for k, r := range first {
		if _, ok := in[r]; !ok {
			in[r] = k
		}
	}
	var second []rune
	if len(sets) == 2 {
		second = i.set(sets[1])
		if len(second) == 0 && !remove {
			return i.fail(1, "the second set is empty")
		}
	}
	squeezed := map[rune]bool{}
	for _, r := range second {
		squeezed[r] = true
	}
	if len(sets) == 1 {
		squeezed = nil
	}
	translate := len(sets) == 2 && !remove
	reader := bufio.NewReader(i.Stdin)
	last := rune(-1)
	for {
		r, size, err := reader.ReadRune()
		if err != nil {
			return 0
		}
		bad := r == '\uFFFD' && size == 1
		if bad {
			_ = reader.UnreadRune()
			b, _ := reader.ReadByte()
			_ = i.Out.WriteByte(b)
			last = -1
			continue
		}
		at, member := in[r]
		member = member != complement
		if member && remove {
			continue
		}
		if member && translate {
			switch {
			case complement:
				r = second[len(second)-1]
			case at < len(second):
				r = second[at]
			case !truncate:
				r = second[len(second)-1]
			}
		}
		if squeeze && r == last && (squeezed[r] || squeezed == nil && member) {
			continue
		}
		last = r
		_, _ = i.Out.WriteRune(r)
	}
}

// set expands the set of tr: ranges, classes, escapes.
func (i *Invocation) set(text string) []rune {
	var out []rune
	runes := []rune(text)
	for k := 0; k < len(runes); k++ {
		r := runes[k]
		rest := string(runes[k:])
		if strings.HasPrefix(rest, "[:") {
			if end := strings.Index(rest, ":]"); end > 0 {
				members, ok := classes(rest[2:end])
				if !ok {
					i.die(1, "invalid character class '%s'", rest[2:end])
				}
				out = append(out, members...)
				k += end + 1
				continue
			}
		}
		if strings.HasPrefix(rest, "[=") && len(runes) > k+4 && runes[k+3] == '=' && runes[k+4] == ']' {
			out = append(out, runes[k+2])
			k += 4
			continue
		}
		if r == '\\' && k+1 < len(runes) {
			r, k = escaped(runes, k+1)
		}
		if k+2 < len(runes) && runes[k+1] == '-' {
			to, at := runes[k+2], k+2
			if to == '\\' && at+1 < len(runes) {
				to, at = escaped(runes, at+1)
			}
			if to < r {
				i.die(1, "the range '%c-%c' is in reverse order", r, to)
			}
			for c := r; c <= to; c++ {
				out = append(out, c)
			}
			k = at
			continue
		}
		out = append(out, r)
	}
	return out
}

// escaped reads what stands after a backslash at k and returns the place of its last character.
func escaped(runes []rune, k int) (rune, int) {
	if at := strings.IndexRune(`abfnrtv\`, runes[k]); at >= 0 {
		return rune("\a\b\f\n\r\t\v\\"[at]), k
	}
	if runes[k] < '0' || runes[k] > '7' {
		return runes[k], k
	}
	v, n := rune(0), 0
	for n < 3 && k+n < len(runes) && runes[k+n] >= '0' && runes[k+n] <= '7' {
		v = v*8 + runes[k+n] - '0'
		n++
	}
	return v, k + n - 1
}

func classes(name string) ([]rune, bool) {
	var member func(c rune) bool
	lower := func(c rune) bool { return c >= 'a' && c <= 'z' }
	upper := func(c rune) bool { return c >= 'A' && c <= 'Z' }
	digit := func(c rune) bool { return c >= '0' && c <= '9' }
	switch name {
	case "alpha":
		member = func(c rune) bool { return lower(c) || upper(c) }
	case "digit":
		member = digit
	case "alnum":
		member = func(c rune) bool { return lower(c) || upper(c) || digit(c) }
	case "lower":
		member = lower
	case "upper":
		member = upper
	case "space":
		member = func(c rune) bool { return c == ' ' || c >= '\t' && c <= '\r' }
	case "blank":
		member = func(c rune) bool { return c == ' ' || c == '\t' }
	case "cntrl":
		member = func(c rune) bool { return c < ' ' || c == 0x7f }
	case "print":
		member = func(c rune) bool { return c >= ' ' && c < 0x7f }
	case "graph":
		member = func(c rune) bool { return c > ' ' && c < 0x7f }
	case "punct":
		member = func(c rune) bool { return c > ' ' && c < 0x7f && !lower(c) && !upper(c) && !digit(c) }
	case "xdigit":
		member = func(c rune) bool { return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
	default:
		return nil, false
	}
	var out []rune
	for c := range rune(128) {
		if member(c) {
			out = append(out, c)
		}
	}
	return out, true
}
