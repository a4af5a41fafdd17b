package command

import (
	crand "crypto/rand"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Generator makes a generator of random numbers that are no secrets. One that Go seeds itself would continue
// identically in each copy of the prepared guest.
func Generator() *rand.Rand {
	var seed [32]byte
	_, _ = crand.Read(seed[:])
	return rand.New(rand.NewChaCha8(seed)) //nolint:gosec // no secrets are made of it
}

func shuf(i *Invocation) int {
	given, operands := i.options("n:ei:r", map[string]string{"head-count": "n", "echo": "e", "input-range": "i"}, false)
	most, echo, ranged := -1, false, ""
	for _, o := range given {
		switch o.name {
		case "n":
			most = i.count(o.value)
		case "e":
			echo = true
		case "i":
			ranged = o.value
		case "r":
			return i.fail(1, "the option -r is not supported")
		}
	}
	var all []string
	switch {
	case ranged != "":
		from, to, _ := strings.Cut(ranged, "-")
		a, b := i.count(from), i.count(to)
		if b < a || b-a > 1<<22 {
			return i.fail(1, "invalid range '%s'", ranged)
		}
		for n := a; n <= b; n++ {
			all = append(all, strconv.Itoa(n))
		}
	case echo:
		all = operands
	default:
		text, status := i.all(operands)
		if status != 0 {
			return status
		}
		all = splitLines(text)
	}
	Generator().Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	for k, line := range all {
		if most >= 0 && k >= most {
			break
		}
		i.printf("%s\n", line)
	}
	return 0
}
