package foreign

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// object is a mapping of which every member has to be read: those that are not become findings.
type object struct {
	*value

	// path is its path in the monitor, "" for the monitor itself.
	path string
	read map[string]bool
	m    *monitor
}

// object reads a mapping; nil is an empty one. Another value is a finding.
func (m *monitor) object(v *value, path string) *object {
	m.spend(1)
	o := &object{value: &value{kind: mapping, line: m.line}, path: path, read: map[string]bool{}, m: m}
	switch {
	case v == nil || v.kind == null:
	case v.kind == mapping:
		o.value = v
		m.spend(len(v.keys))
	default:
		m.leave(v.line, path, "is not read: members were expected")
	}
	return o
}

// of is the path of a member.
func (o *object) of(key string) string {
	if o.path == "" {
		return key
	}
	return o.path + "." + key
}

// get reads a member; nil for none and for null.
func (o *object) get(key string) *value {
	o.read[key] = true
	v := o.at(key)
	if v == nil || v.kind == null {
		return nil
	}
	return v
}

// has reports whether a member is there and not empty. It does not read it.
func (o *object) has(key string) bool { return filled(o.at(key)) }

// filled reports whether a value is more than null, false, 0, an empty text, list or mapping.
func filled(v *value) bool {
	switch {
	case v == nil:
		return false
	case v.kind == scalar:
		return v.text != "" && (!v.boolean || !strings.EqualFold(v.text, "false")) && (!v.number || v.text != "0")
	case v.kind == list:
		return len(v.items) > 0
	case v.kind == mapping:
		return len(v.keys) > 0
	default:
		return v.kind == opaque
	}
}

// line is the line of a member, or that of the object without it.
func (o *object) lineOf(key string) int {
	if v := o.at(key); v != nil {
		return v.line
	}
	return o.line
}

// str reads a text; a number and a boolean are their text.
func (o *object) str(key string) string {
	v := o.get(key)
	if v == nil {
		return ""
	}
	if v.kind != scalar {
		o.m.leave(v.line, o.of(key), "is not read: a text was expected")
		return ""
	}
	o.m.spend(len(v.text) / 100)
	return v.text
}

// flag reads a boolean; 0 and 1 are read as well.
func (o *object) flag(key string, fallback bool) bool {
	v := o.get(key)
	if v == nil {
		return fallback
	}
	switch strings.ToLower(v.text) {
	case "true", "1", "yes", "on":
		return true
	case "false", "0", "no", "off", "":
		return false
	}
	o.m.leave(v.line, o.of(key), "is not read: true or false was expected")
	return fallback
}

// number reads a number.
func (o *object) number(key string, fallback float64) float64 {
	v := o.get(key)
	if v == nil || v.kind == scalar && v.text == "" {
		return fallback
	}
	n, err := strconv.ParseFloat(v.text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || v.kind != scalar {
		o.m.leave(v.line, o.of(key), "is not read: a number was expected")
		return fallback
	}
	return n
}

// whole reads a whole number within bounds.
func (o *object) whole(key string, fallback, least, most int) int {
	n := o.number(key, float64(fallback))
	return int(min(max(math.Round(n), float64(least)), float64(most)))
}

// texts reads a list of texts; a single text is a list of one.
func (o *object) texts(key string) []*value {
	v := o.get(key)
	switch {
	case v == nil:
		return nil
	case v.kind == scalar:
		if v.text == "" {
			return nil
		}
		return []*value{v}
	case v.kind != list:
		o.m.leave(v.line, o.of(key), "is not read: a list was expected")
		return nil
	}
	o.m.spend(len(v.items))
	var all []*value
	for _, item := range v.items {
		if item.kind != scalar {
			o.m.leave(item.line, o.of(key), "has an entry that is no text")
			continue
		}
		o.m.spend(len(item.text) / 100)
		all = append(all, item)
	}
	return all
}

// duration reads a duration such as 5m or 1h30m.
func (o *object) duration(key string, fallback time.Duration) time.Duration {
	v := o.get(key)
	if v == nil || v.text == "" {
		return fallback
	}
	if d, ok := parseDuration(v.text, 0); ok && v.kind == scalar {
		return d
	}
	o.m.leave(v.line, o.of(key), "is not read: a duration such as 30s was expected")
	return fallback
}

// parseDuration parses a duration of Go or Prometheus (1d, 1w). A number alone counts in the unit, and is refused if that is 0.
func parseDuration(text string, unit time.Duration) (time.Duration, bool) {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		d := n * float64(unit)
		return time.Duration(d), unit > 0 && d >= 0 && d < math.MaxInt64/2
	}
	for suffix, days := range map[string]float64{"d": 1, "w": 7, "y": 365} {
		if n, err := strconv.ParseFloat(strings.TrimSuffix(text, suffix), 64); err == nil && strings.HasSuffix(text, suffix) {
			d := n * days * float64(24*time.Hour)
			return time.Duration(d), d >= 0 && d < math.MaxInt64/2
		}
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0
}

// skip reads members that have no meaning for checks.
func (o *object) skip(keys ...string) {
	for _, key := range keys {
		o.read[key] = true
	}
}

// lose reads a member and lists it as left out if it is filled.
func (o *object) lose(key, message string) {
	if o.has(key) {
		o.m.leave(o.lineOf(key), o.of(key), "%s", message)
	}
	o.read[key] = true
}

// rest lists members that were not read.
func (o *object) rest() {
	for _, key := range o.keys {
		if !o.read[key] && filled(o.members[key]) {
			o.m.leave(o.members[key].line, o.of(shown(key)), "is not known, and not kept")
		}
	}
}

// seconds formats a duration.
func seconds(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%d ms", d/time.Millisecond)
}
