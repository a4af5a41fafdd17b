package command

import (
	"fmt"
	"strconv"
	"strings"
	"time"
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

// strftime formats a time in UTC.
func strftime(layout string, t time.Time) string {
	var b strings.Builder
	for k := 0; k < len(layout); k++ {
		if layout[k] != '%' || k+1 == len(layout) {
			b.WriteByte(layout[k])
			continue
		}
		k++
		flag := byte(0)
		if strings.IndexByte("-_0^#", layout[k]) >= 0 && k+1 < len(layout) {
			flag = layout[k]
			k++
		}
		width := 0
		for k+1 < len(layout) && layout[k] >= '1' && layout[k] <= '9' {
			width = int(layout[k] - '0')
			k++
		}
		colons := 0
		for layout[k] == ':' && k+1 < len(layout) {
			colons++
			k++
		}
		text := conversion(layout[k], colons, width, t)
		switch flag {
		case '-':
			if trimmed := strings.TrimLeft(text, "0 "); trimmed != "" {
				text = trimmed
			} else {
				text = "0"
			}
		case '_':
			trimmed := strings.TrimLeft(text[:len(text)-1], "0")
			text = strings.Repeat(" ", len(text)-1-len(trimmed)) + trimmed + text[len(text)-1:]
		case '0':
			text = strings.ReplaceAll(text, " ", "0")
		case '^':
			text = strings.ToUpper(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

func conversion(c byte, colons, width int, t time.Time) string {
	if layout, ok := map[byte]string{
		'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'e': "_2", 'j': "002", 'a': "Mon", 'A': "Monday",
		'b': "Jan", 'B': "January", 'h': "Jan", 'I': "03", 'p': "PM", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", 'D': "01/02/06",
		'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05", 'r': "03:04:05 PM",
	}[c]; ok {
		return t.Format(layout)
	}
	switch c {
	case '%':
		return "%"
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 's':
		return strconv.FormatInt(t.Unix(), 10)
	case 'N':
		n := fmt.Sprintf("%09d", t.Nanosecond())
		if width > 0 {
			n = n[:width]
		}
		return n
	case 'z':
		if colons > 0 {
			return "+00:00"
		}
		return "+0000"
	case 'Z':
		return "UTC"
	case 'P':
		return strings.ToLower(t.Format("PM"))
	case 'u':
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1)
	case 'w':
		return strconv.Itoa(int(t.Weekday()))
	case 'k':
		return fmt.Sprintf("%2d", t.Hour())
	case 'l':
		return fmt.Sprintf("%2d", (t.Hour()+11)%12+1)
	case 'C':
		return fmt.Sprintf("%02d", t.Year()/100)
	case 'q':
		return strconv.Itoa((int(t.Month())-1)/3 + 1)
	case 'G', 'g':
		year, _ := t.ISOWeek()
		if c == 'g' {
			return fmt.Sprintf("%02d", year%100)
		}
		return strconv.Itoa(year)
	case 'V':
		_, week := t.ISOWeek()
		return fmt.Sprintf("%02d", week)
	case 'U':
		return fmt.Sprintf("%02d", (t.YearDay()+6-int(t.Weekday()))/7)
	case 'W':
		return fmt.Sprintf("%02d", (t.YearDay()+6-(int(t.Weekday())+6)%7)/7)
	}
	return "%" + string(c)
}
