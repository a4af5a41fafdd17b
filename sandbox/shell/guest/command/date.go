package command

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/itchyny/timefmt-go"
)

// The only time zone is UTC: there is no data about others in here.
func date(i *Invocation) int {
	given, operands := i.options("ud:I::Rr:s:", map[string]string{
		"utc": "u", "date": "d", "iso-8601": "I", "rfc-email": "R", "rfc-3339=": "rfc-3339", "reference": "r",
	}, false)
	at := time.Now().UTC()
	layout := ""
	for _, o := range given {
		switch o.name {
		case "d":
			t, err := moment(o.value, at)
			if err != nil {
				return i.fail(1, "invalid date '%s'", o.value)
			}
			at = t
		case "r":
			info, err := i.Files.Stat(i.path(o.value))
			if err != nil {
				return i.fail(1, "%s: %v", o.value, why(err))
			}
			at = info.ModTime().UTC()
		case "I", "rfc-3339":
			between := "T"
			if o.name == "rfc-3339" {
				between = " "
			}
			switch strings.TrimPrefix(o.value, "=") {
			case "", "date":
				layout = "%Y-%m-%d"
			case "hours":
				layout = "%Y-%m-%d" + between + "%H%:z"
			case "minutes":
				layout = "%Y-%m-%d" + between + "%H:%M%:z"
			case "seconds":
				layout = "%Y-%m-%d" + between + "%H:%M:%S%:z"
			case "ns":
				layout = "%Y-%m-%d" + between + "%H:%M:%S,%N%:z"
			default:
				return i.fail(1, "invalid argument '%s'", o.value)
			}
		case "R":
			layout = "%a, %d %b %Y %H:%M:%S %z"
		case "s":
			return i.fail(1, "the clock cannot be set")
		}
	}
	for _, o := range operands {
		if !strings.HasPrefix(o, "+") {
			return i.fail(1, "invalid date '%s'", o)
		}
		layout = o[1:]
	}
	if layout == "" && len(operands) == 0 {
		layout = "%a %b %e %H:%M:%S UTC %Y"
	}
	i.printf("%s\n", strftime(layout, at))
	return 0
}

// more are what GNU date knows beyond timefmt: nanoseconds, to so many digits, and the quarter.
var more = regexp.MustCompile(`%(?:%|q|([1-9]?)N)`)

// strftime formats a time in UTC.
func strftime(layout string, t time.Time) string {
	return timefmt.Format(t, more.ReplaceAllStringFunc(layout, func(found string) string {
		switch found[len(found)-1] {
		case 'q':
			return strconv.Itoa((int(t.Month()) + 2) / 3)
		case 'N':
			digits := 9
			if len(found) == 3 {
				digits = int(found[1] - '0')
			}
			return fmt.Sprintf("%09d", t.Nanosecond())[:digits]
		}
		return found
	}))
}
