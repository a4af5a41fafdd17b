package command

import (
	"strconv"
	"strings"
)

// An option that was given: "n" or "regexp".
type option struct{ name, value string }

// options reads options as getopt_long does. short is as for getopt: "n:iv" takes a value for n, "d::" an optional one. long
// maps a long name to the short one it is another spelling of, or to itself; a value is taken when the target is followed by
// a colon in short, or the long name ends with "=". Options may stand after operands unless strict.
func (i *Invocation) options(short string, long map[string]string, strict bool) ([]option, []string) {
	var given []option
	var operands []string
	args := i.Args
	for n := 0; n < len(args); n++ {
		a := args[n]
		switch {
		case a == "--":
			return given, append(operands, args[n+1:]...)
		case strings.HasPrefix(a, "--"):
			name, value, has := strings.Cut(a[2:], "=")
			target, takes := long[name], false
			if target == "" {
				target, takes = long[name+"="], true
			}
			if target == "" {
				i.die(2, "unrecognized option '--%s'", name)
			}
			kind := kindOf(short, target)
			takes = takes || kind == ":"
			switch {
			case has && !takes && kind != "::":
				i.die(2, "option '--%s' doesn't allow an argument", name)
			case takes && !has:
				if n++; n >= len(args) {
					i.die(2, "option '--%s' requires an argument", name)
				}
				value = args[n]
			}
			given = append(given, option{target, value})
		case len(a) > 1 && a[0] == '-':
			for k := 1; k < len(a); k++ {
				name := a[k : k+1]
				switch kind := kindOf(short, name); kind {
				case "?":
					i.die(2, "invalid option -- '%s'", name)
				case "":
					given = append(given, option{name, ""})
				case "::":
					given = append(given, option{name, a[k+1:]})
					k = len(a)
				default:
					value := a[k+1:]
					if value == "" {
						if n++; n >= len(args) {
							i.die(2, "option requires an argument -- '%s'", name)
						}
						value = args[n]
					}
					given = append(given, option{name, value})
					k = len(a)
				}
			}
		case strict:
			return given, append(operands, args[n:]...)
		default:
			operands = append(operands, a)
		}
	}
	return given, operands
}

// kindOf returns ":" or "::" for options with values, "" for those without and "?" for what is none.
func kindOf(short, name string) string {
	if len(name) != 1 {
		return ""
	}
	_, rest, found := strings.Cut(short, name)
	switch {
	case !found || name == ":":
		return "?"
	case strings.HasPrefix(rest, "::"):
		return "::"
	case strings.HasPrefix(rest, ":"):
		return ":"
	}
	return ""
}

// count reads a number that is not negative, with the suffixes K, M and G.
func (i *Invocation) count(text string) int {
	unit := 1
	digits := strings.TrimRight(text, "bBkKmMgG")
	switch strings.TrimSuffix(strings.ToUpper(text[len(digits):]), "B") {
	case "K":
		unit = 1 << 10
	case "M":
		unit = 1 << 20
	case "G":
		unit = 1 << 30
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n > 1<<40 {
		i.die(1, "invalid number: '%s'", text)
	}
	return n * unit
}
