package command

import (
	"math"
	"strconv"
	"strings"
	"time"
)

func sleep(i *Invocation) int {
	var total time.Duration
	if len(i.Args) == 0 {
		return i.fail(1, "missing operand")
	}
	for _, a := range i.Args {
		d, ok := duration(a)
		if !ok {
			return i.fail(1, "invalid time interval '%s'", a)
		}
		total += min(d, 1000*time.Hour)
	}
	select {
	case <-time.After(total):
		return 0
	case <-i.Context.Done():
		return int(brokenPipe)
	}
}

// duration reads seconds, or a number with s, m, h or d.
func duration(text string) (time.Duration, bool) {
	unit := time.Second
	if text != "" {
		if at := strings.IndexByte("smhd", text[len(text)-1]); at >= 0 {
			unit = []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}[at]
			text = text[:len(text)-1]
		}
	}
	if text == "infinity" || text == "inf" {
		return math.MaxInt64, true
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || math.IsNaN(n) {
		return 0, false
	}
	return time.Duration(min(n*float64(unit), float64(math.MaxInt64/2))), true
}
