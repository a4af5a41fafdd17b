package command

import (
	"cmp"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A sortKey is one -k: fields and characters from 1, and how to compare.
type sortKey struct {
	field, char, endField, endChar int
	how                            ordering
}

type ordering struct{ numeric, human, general, version, reverse, fold, blanks, dictionary, months bool }

func (o *ordering) set(letter string) {
	switch letter {
	case "n":
		o.numeric = true
	case "h":
		o.human = true
	case "g":
		o.general = true
	case "V":
		o.version = true
	case "r":
		o.reverse = true
	case "f":
		o.fold = true
	case "b":
		o.blanks = true
	case "d":
		o.dictionary = true
	case "M":
		o.months = true
	}
}

func sortLines(i *Invocation) int {
	given, files := i.options("nrufbhgVdMsck:t:o:zCmS:T:", map[string]string{
		"numeric-sort": "n", "reverse": "r", "unique": "u", "ignore-case": "f", "human-numeric-sort": "h", "version-sort": "V",
		"key": "k", "field-separator": "t", "output": "o", "stable": "s", "check": "c", "zero-terminated": "z", "month-sort": "M",
		"general-numeric-sort": "g", "ignore-leading-blanks": "b", "dictionary-order": "d",
	}, false)
	var global ordering
	var unique, stable, check, silent bool
	var keys []sortKey
	separator, output, end := "", "", "\n"
	for _, o := range given {
		switch o.name {
		case "u":
			unique = true
		case "s":
			stable = true
		case "c":
			check = true
		case "C":
			check, silent = true, true
		case "z":
			end = "\x00"
		case "k":
			keys = append(keys, i.sortKey(o.value))
		case "t":
			if separator = o.value; separator == `\t` {
				separator = "\t"
			}
			if len(separator) != 1 {
				return i.fail(2, "the separator must be a single character")
			}
		case "o":
			output = o.value
		default:
			global.set(o.name)
		}
	}
	for k := range keys {
		if keys[k].how == (ordering{}) {
			keys[k].how = global
		}
	}
	if len(keys) == 0 {
		keys = []sortKey{{field: 1, char: 1, how: global}}
	}
	text, status := i.all(files)
	if status != 0 {
		return 2
	}
	var all []string
	if len(text) > 0 {
		all = strings.Split(strings.TrimSuffix(string(text), end), end)
	}
	byKeys := func(a, b string) int {
		for n := range keys {
			k := &keys[n]
			if c := k.how.compare(k.of(a, separator), k.of(b, separator)); c != 0 {
				return c
			}
		}
		return 0
	}
	compare := func(a, b string) int {
		c := byKeys(a, b)
		if c == 0 && !stable && !unique {
			if c = strings.Compare(a, b); global.reverse {
				c = -c
			}
		}
		return c
	}
	if check {
		for k := 1; k < len(all); k++ {
			if c := compare(all[k-1], all[k]); c > 0 || c == 0 && unique {
				if !silent {
					i.complain("disorder: %s", all[k])
				}
				return 1
			}
		}
		return 0
	}
	slices.SortStableFunc(all, compare)
	if unique {
		all = slices.CompactFunc(all, func(a, b string) bool { return byKeys(a, b) == 0 })
	}
	out := strings.Join(all, end)
	if len(all) > 0 {
		out += end
	}
	if output == "" {
		_, _ = i.Out.WriteString(out)
		return 0
	}
	w, err := i.open(output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return i.fail(2, "%s: %v", output, err)
	}
	_, _ = w.Write([]byte(out))
	_ = w.Close()
	return 0
}

func (i *Invocation) sortKey(text string) sortKey {
	k := sortKey{field: 1, char: 1}
	from, to, ranged := strings.Cut(text, ",")
	part := func(p string, field, char *int) {
		digits := strings.TrimRight(p, "nhgVrfbdMi")
		for _, letter := range p[len(digits):] {
			k.how.set(string(letter))
		}
		f, c, has := strings.Cut(digits, ".")
		var err error
		if *field, err = strconv.Atoi(f); err == nil && has {
			*char, err = strconv.Atoi(c)
		}
		if err != nil || *field < 1 {
			i.die(2, "invalid key '%s'", text)
		}
	}
	part(from, &k.field, &k.char)
	if ranged {
		part(to, &k.endField, &k.endChar)
	}
	return k
}

// of cuts a key out of a line. Without a separator a field begins with the blanks before it.
func (k *sortKey) of(line, separator string) string {
	if k.field == 1 && k.char <= 1 && k.endField == 0 {
		return line
	}
	var starts, ends []int
	if separator != "" {
		at := 0
		for part := range strings.SplitSeq(line, separator) {
			starts, ends = append(starts, at), append(ends, at+len(part))
			at += len(part) + 1
		}
	} else {
		for at := 0; at < len(line); {
			starts = append(starts, at)
			for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
				at++
			}
			for at < len(line) && line[at] != ' ' && line[at] != '\t' {
				at++
			}
			ends = append(ends, at)
		}
	}
	if k.field > len(starts) {
		return ""
	}
	skip := func(at int) int {
		for k.how.blanks && at < len(line) && (line[at] == ' ' || line[at] == '\t') {
			at++
		}
		return at
	}
	from := min(skip(starts[k.field-1])+max(k.char-1, 0), len(line))
	to := len(line)
	if k.endField > 0 && k.endField <= len(ends) {
		if to = ends[k.endField-1]; k.endChar > 0 {
			to = min(skip(starts[k.endField-1])+k.endChar, len(line))
		}
	}
	return line[from:max(from, to)]
}

func (o *ordering) compare(a, b string) int {
	if o.blanks {
		a, b = strings.TrimLeft(a, " \t"), strings.TrimLeft(b, " \t")
	}
	var c int
	switch {
	case o.numeric:
		c = compareNumbers(a, b)
	case o.general:
		x, _ := strconv.ParseFloat(strings.TrimSpace(a), 64)
		y, _ := strconv.ParseFloat(strings.TrimSpace(b), 64)
		c = cmp.Compare(x, y)
	case o.human:
		c = cmp.Compare(human(a), human(b))
	case o.version:
		c = compareVersions(a, b)
	case o.months:
		c = cmp.Compare(month(a), month(b))
	default:
		if o.dictionary {
			only := func(r rune) rune {
				if unicode.IsLetter(r) || unicode.IsDigit(r) || r == ' ' || r == '\t' {
					return r
				}
				return -1
			}
			a, b = strings.Map(only, a), strings.Map(only, b)
		}
		if o.fold {
			a, b = strings.ToUpper(a), strings.ToUpper(b)
		}
		c = strings.Compare(a, b)
	}
	if o.reverse {
		return -c
	}
	return c
}

// number is the number at the start of a text.
func number(s string) string {
	s = strings.TrimLeft(s, " \t")
	n := 0
	if strings.HasPrefix(s, "-") {
		n++
	}
	for dot := false; n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.' && !dot); n++ {
		dot = dot || s[n] == '.'
	}
	return s[:n]
}

func compareNumbers(a, b string) int {
	a, b = number(a), number(b)
	if len(a) < 16 && len(b) < 16 {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		return cmp.Compare(x, y)
	}
	x, _ := new(big.Rat).SetString(a)
	y, _ := new(big.Rat).SetString(b)
	if x == nil {
		x = new(big.Rat)
	}
	if y == nil {
		y = new(big.Rat)
	}
	return x.Cmp(y)
}

func human(s string) float64 {
	digits := number(s)
	n, _ := strconv.ParseFloat(digits, 64)
	s = strings.TrimLeft(s, " \t")[len(digits):]
	if s == "" {
		return n
	}
	if at := strings.IndexByte("KMGTPE", strings.ToUpper(s)[0]); at >= 0 {
		for range at + 1 {
			n *= 1024
		}
	}
	return n
}

func month(s string) int {
	s = strings.TrimSpace(s)
	if len(s) < 3 {
		return 0
	}
	return strings.Index(" JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", strings.ToUpper(s[:3])) + 1
}

func compareVersions(a, b string) int {
	for a != "" && b != "" {
		da, db := digits(a), digits(b)
		if da > 0 && db > 0 {
			x, y := strings.TrimLeft(a[:da], "0"), strings.TrimLeft(b[:db], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[da:], b[db:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
