package command

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

func seq(i *Invocation) int {
	between, format, wide := "\n", "", false
	args := i.Args
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.IndexByte("0123456789.", args[0][1]) < 0 {
		switch o := args[0]; {
		case o == "-w":
			wide = true
		case (o == "-s" || o == "-f") && len(args) > 1:
			if o == "-s" {
				between = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(args[1])
			} else {
				format = args[1]
			}
			args = args[1:]
		case strings.HasPrefix(o, "-s"):
			between = o[2:]
		default:
			return i.fail(1, "invalid option '%s'", o)
		}
		args = args[1:]
	}
	if len(args) < 1 || len(args) > 3 {
		return i.fail(1, "give one to three numbers")
	}
	n := []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 1), nil}
	precision := 0
	read := func(text string) *big.Rat {
		r, ok := new(big.Rat).SetString(text)
		if !ok || len(text) > 40 || strings.ContainsAny(text, "/eEpPxX_") {
			i.die(1, "invalid number: '%s'", text)
		}
		if _, fraction, has := strings.Cut(text, "."); has {
			precision = max(precision, len(fraction))
		}
		return r
	}
	n[2] = read(args[len(args)-1])
	if len(args) > 1 {
		n[0] = read(args[0])
	}
	if len(args) == 3 {
		n[1] = read(args[1])
	}
	if n[1].Sign() == 0 {
		return i.fail(1, "the increment is zero")
	}
	width := 0
	if wide {
		width = max(len(n[0].FloatString(precision)), len(n[2].FloatString(precision)))
	}
	if format != "" && !seqFormat(format) {
		return i.fail(1, "the format '%s' needs one of %%g, %%f and %%e", format)
	}
	first := true
	show := func(text string) {
		if !first {
			i.printf("%s", between)
		}
		first = false
		i.printf("%s", text)
	}
	if precision == 0 && format == "" && n[0].Num().IsInt64() && n[1].Num().IsInt64() && n[2].Num().IsInt64() {
		at, step, last := n[0].Num().Int64(), n[1].Num().Int64(), n[2].Num().Int64()
		for ; step > 0 && at <= last || step < 0 && at >= last; at += step {
			text := strconv.FormatInt(at, 10)
			if len(text) < width {
				text = fmt.Sprintf("%0*d", width, at)
			}
			show(text)
			if step > 0 && at > last-step || step < 0 && at < last-step {
				break
			}
		}
	} else {
		for at := n[0]; at.Cmp(n[2])*n[1].Sign() <= 0; at = new(big.Rat).Add(at, n[1]) {
			switch f, _ := at.Float64(); {
			case format != "":
				show(fmt.Sprintf(format, f))
			case wide:
				show(fmt.Sprintf("%0*.*f", width, precision, f))
			default:
				show(at.FloatString(precision))
			}
		}
	}
	if !first {
		i.printf("\n")
	}
	return 0
}

func seqFormat(format string) bool {
	rest := strings.ReplaceAll(format, "%%", "")
	_, after, found := strings.Cut(rest, "%")
	after = strings.TrimLeft(after, "+- 0123456789.")
	return found && after != "" && strings.IndexByte("gfe", after[0]) >= 0 && !strings.Contains(after, "%") && len(format) < 100
}
