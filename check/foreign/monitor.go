package foreign

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/google/uuid"

	"countersign/check"
	"countersign/check/health"
	"countersign/internal/secret/reference"
	"countersign/internal/secret/scrub"
	"countersign/internal/text"
)

// Bounds of what is made.
const (
	maxName    = 120
	maxMessage = 300
)

// plan is a Plan in the making.
type plan struct {
	Plan

	lines   []string
	names   map[string]bool
	last    map[string]int    // by name, the last number that was given to it
	secrets map[string]int    // by name, the index in Secrets
	values  map[string]string // by value, the name
	dropped int
	work    int
}

// maxWork bounds the values that are read and made. A short file can name its values many times: by aliases, and where
// targets share modules and rules.
const maxWork = 2_000_000

// tooMuch ends a parse that does more than maxWork.
type tooMuch struct{}

// spend counts work.
func (p *plan) spend(n int) {
	if p.work += n; p.work > maxWork || p.Monitors > MaxMonitors {
		panic(tooMuch{}) // Read recovers it
	}
}

// nested reads JSON within a text of the source. Aliases can repeat the text.
func (p *plan) nested(content string) (*value, error) {
	const bytesPerUnit = 2
	p.spend(1 + len(content)/bytesPerUnit)
	return (&builder{}).json(content)
}

// free returns the first of a name and its numbered forms that is not taken. It remembers the number, as thousands can share a name.
func (p *plan) free(name string, numbered func(n int) string, taken func(name string) bool) string {
	for found := name; ; found = numbered(p.last[name]) {
		if !taken(found) {
			return found
		}
		p.last[name] = max(p.last[name]+1, 2)
	}
}

func newPlan(format, content string) *plan {
	return &plan{
		Plan: Plan{Format: format, Checks: []Check{}, Findings: []Finding{}, Secrets: []Secret{}},
		// Values are looked up in the text as it was given.
		lines: strings.Split(content, "\n"), names: map[string]bool{}, last: map[string]int{}, secrets: map[string]int{},
		values: map[string]string{},
	}
}

// lost lists a setting of the whole file.
func (p *plan) lost(line int, setting, message string) {
	p.Findings = append(p.Findings, Finding{Kind: LeftOut, Line: line, Setting: setting, Message: message})
}

// config is the config of a strategy or of a collector.
type config = map[string]any

// monitor is a monitor of the source in the making.
type monitor struct {
	*plan

	name string
	line int
	// placeholder finds names of variables that stand for values outside of the source.
	placeholder *regexp.Regexp
	strategy    string
	collector   string
	config      config
	collecting  config
	assertions  []check.Assertion
	interval    time.Duration
	timeout     time.Duration
	system      string
	host        string
	description string
	paused      bool
	thresholds  health.Thresholds
	version     string
	gone        bool
}

// monitor begins a monitor.
func (p *plan) monitor(name string, line int) *monitor {
	p.Monitors++
	p.spend(1)
	if strings.TrimSpace(name) == "" {
		name = fmt.Sprintf("Monitor at line %d", line)
	}
	return &monitor{plan: p, name: shown(name), line: line, config: config{}, collecting: config{}}
}

// shown is a text of the source for people: short, on one line, without credentials.
func shown(s string) string { return text.Shown(scrub.Text(beginning(s)), maxName) }

// beginning cuts a text far behind what is shown of it.
func beginning(s string) string { return strings.ToValidUTF8(s[:min(len(s), 8*maxMessage)], "") }

func (m *monitor) find(kind string, line int, setting, format string, args ...any) {
	m.spend(1)
	if m.gone {
		return
	}
	message := format
	if len(args) > 0 {
		message = fmt.Sprintf(format, args...)
	}
	m.Findings = append(m.Findings, Finding{
		Kind: kind, Line: line, Monitor: m.name, Setting: shown(setting), Message: text.Shown(scrub.Text(beginning(message)), maxMessage),
	})
}

// change lists a setting with another meaning.
func (m *monitor) change(line int, setting, format string, args ...any) {
	m.find(Changes, line, setting, format, args...)
}

// leave lists a setting that is left out.
func (m *monitor) leave(line int, setting, format string, args ...any) {
	m.find(LeftOut, line, setting, format, args...)
}

// drop leaves the monitor out as a whole.
func (m *monitor) drop(line int, format string, args ...any) {
	if !m.gone {
		m.leave(line, "", "The monitor is left out: "+format, args...)
		m.gone = true
		m.dropped++
	}
}

// kind sets strategy and collector.
func (m *monitor) kind(strategy, collector string) { m.strategy, m.collector = strategy, collector }

// assert adds an assertion. value is nil for an operator without one.
func (m *monitor) assert(field, path, operator string, value any) {
	m.spend(1)
	a := check.Assertion{Field: field, JSONPath: path, Operator: operator}
	if value != nil {
		if v, ok := value.(string); ok && scrub.Text(v) != v {
			m.drop(m.line, "a condition holds what looks like a password or token, which a check would show")
			return
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return
		}
		a.Value = raw
	}
	m.assertions = append(m.assertions, a)
}

var unnamable = regexp.MustCompile(`[^A-Z0-9]+`)

// secretName makes a name of a secret from texts.
func secretName(parts ...string) string {
	name := strings.Trim(unnamable.ReplaceAllString(strings.ToUpper(strings.Join(parts, "_")), "_"), "_")
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		name = "S_" + name
	}
	return strings.TrimRight(name[:min(len(name), 58)], "_")
}

// secret returns the reference to a secret with a value of the source. An empty value is none, and one with placeholders
// has the secrets that they name.
func (m *monitor) secret(what, value string, line int) string {
	if value == "" {
		return ""
	}
	if m.placeholder != nil && m.placeholder.MatchString(value) {
		rest := m.placeholder.ReplaceAllString(value, "")
		literal := strings.TrimSpace(rest) == "" || strings.EqualFold(strings.TrimSpace(rest), "bearer")
		if literal {
			return m.placeholder.ReplaceAllStringFunc(value, func(found string) string {
				return m.use(secretName(m.variable(found)), "", line)
			})
		}
		// A value around a placeholder may be a secret too.
		return m.use(secretName(m.name, what), "", line)
	}
	if name, ok := m.values[value]; ok {
		return m.use(name, value, line)
	}
	base := secretName(m.name, what)
	name := m.free(base, func(n int) string { return fmt.Sprintf("%s_%d", base, n) }, func(name string) bool {
		_, taken := m.secrets[name]
		return taken
	})
	if masked.MatchString(value) {
		// Equal masks stand for different values.
		return m.use(name, "", line)
	}
	m.values[value] = name
	return m.use(name, value, line)
}

// masked finds what people and programs write in place of a password.
var masked = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])(?:x{3,}|\*{3,})(?:$|[^a-z0-9])|` + regexp.QuoteMeta(scrub.Marker))

// variable is the name of the variable of a placeholder.
func (m *monitor) variable(found string) string {
	for _, group := range m.placeholder.FindStringSubmatch(found)[1:] {
		if group != "" {
			return group
		}
	}
	return found
}

// use notes the use of a secret. It finds where the value stands, so that a client can take it from its own text.
func (m *monitor) use(name, value string, line int) string {
	at, known := m.secrets[name]
	if !known {
		at = len(m.Secrets)
		m.secrets[name] = at
		s := Secret{Name: name, Line: line, Monitors: []string{}}
		if value != "" {
			for _, l := range []int{line, line + 1} {
				if l < 1 || l > len(m.lines) {
					continue
				}
				m.spend(len(m.lines[l-1]) / 1000)
				if before, _, found := strings.Cut(m.lines[l-1], value); found {
					s.Line, s.Column, s.Length = l, units(before), units(value)
					break
				}
			}
		}
		m.Secrets = append(m.Secrets, s)
	}
	if !slices.Contains(m.Secrets[at].Monitors, m.name) {
		m.Secrets[at].Monitors = append(m.Secrets[at].Monitors, m.name)
	}
	return "${{ secrets." + name + " }}"
}

// units is the length of a text in UTF-16 code units.
func units(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// done adds the check of the monitor to the plan.
func (m *monitor) done() {
	if m.gone {
		return
	}
	c := Check{
		Name: m.unique(), Description: text.Shown(scrub.Text(m.description), 1000), Line: m.line, Paused: m.paused,
		System: m.systemName(), Thresholds: m.thresholds, Interval: m.seconds(),
	}
	timeout := min(m.timeout, time.Duration(c.Interval)*time.Second, 300*time.Second)
	if m.timeout > timeout {
		m.change(m.line, "timeout", "%s is more than the interval allows: %s is kept", seconds(m.timeout), seconds(timeout))
	}
	if timeout > 0 {
		m.config["timeout"] = max(timeout.Milliseconds(), 100)
	}
	if m.version != "" && m.strategy != "healthcheck-heartbeat.heartbeat" {
		m.config["ipVersion"] = m.version
	}
	if m.config["skipVerify"] == true && !slices.ContainsFunc(m.assertions, aboutCertificate) {
		m.change(m.line, "certificate", "Any certificate is taken but an expired one. Assert certificateDaysRemaining to take that too")
	}
	for _, part := range []config{m.config, m.collecting} {
		if field := m.revealing(part, ""); field != "" {
			m.drop(m.line, "its %s holds what looks like a password or token, which cannot be kept there as a secret. "+
				"Write it into a header, or make the check by hand", field)
			return
		}
	}
	strategy, err := json.Marshal(escaped(m.config))
	if err == nil {
		var collecting []byte
		if collecting, err = json.Marshal(escaped(m.collecting)); err == nil {
			m.spend(len(strategy) + len(collecting))
			c.Configuration = check.Configuration{
				Strategy: m.strategy, Config: strategy,
				Collectors: []check.Collected{{
					ID: uuid.NewSHA1(uuid.NameSpaceOID, []byte(c.Name)), CollectorID: m.collector, Config: collecting, Assertions: m.assertions,
				}},
			}
		}
	}
	if err != nil {
		m.drop(m.line, "it cannot be written")
		return
	}
	if len(m.assertions) > check.MaxAssertions {
		m.drop(m.line, "it has more than %d conditions", check.MaxAssertions)
		return
	}
	m.Checks = append(m.Checks, c)
}

func aboutCertificate(a check.Assertion) bool { return a.Field == "certificateDaysRemaining" }

// unique returns the name of the check; names of monitors can repeat.
func (m *monitor) unique() string {
	name := m.free(m.name, func(n int) string {
		suffix := fmt.Sprintf(" (%d)", n)
		return text.Shown(m.name, maxName-len(suffix)) + suffix
	}, func(name string) bool { return m.names[text.Key(name)] })
	m.names[text.Key(name)] = true
	if name != m.name {
		m.change(m.line, "name", "Another monitor has this name too: the check is called %s", name)
	}
	return name
}

// systemName is the group of the monitor, or else the host that it is about.
func (m *monitor) systemName() string {
	for _, name := range []string{m.system, m.host, m.name} {
		if name = strings.TrimSpace(shown(name)); name != "" {
			return name
		}
	}
	return m.name
}

// seconds is the interval in whole seconds within the bounds of checks.
func (m *monitor) seconds() int {
	whole := int((m.interval + time.Second - 1) / time.Second)
	within := min(max(whole, check.MinInterval), check.MaxInterval)
	if m.interval != time.Duration(within)*time.Second {
		m.change(m.line, "interval", "%s becomes %d s", m.interval, within)
	}
	return within
}

// every keeps a check from asking more often than makes sense.
func (m *monitor) every(least time.Duration, line int, setting, why string) {
	if m.interval < least {
		m.change(line, setting, "%s: every %s, and not %s", why, seconds(least), seconds(m.interval))
		m.interval = least
	}
}

// revealing returns the path of a text that holds a credential in the clear; "" for none.
func (m *monitor) revealing(v any, path string) string {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			at := strings.TrimPrefix(path+"."+key, ".")
			if found := m.revealing(member, at); found != "" {
				return found
			}
		}
	case []any:
		for _, element := range v {
			if found := m.revealing(element, path); found != "" {
				return found
			}
		}
	case []string:
		for _, element := range v {
			if found := m.revealing(element, path); found != "" {
				return found
			}
		}
	case string:
		if names, err := reference.References(v); err != nil || len(names) > 0 {
			if err != nil {
				return path
			}
			return ""
		}
		if scrub.Text(v) != v {
			return path
		}
	}
	return ""
}

// escaped writes braces of the source so that they are no templates of this product.
func escaped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, member := range v {
			out[key] = escaped(member)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = escaped(element)
		}
		return out
	case []string:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = escaped(element)
		}
		return out
	case string:
		if !strings.Contains(v, "${{") {
			return strings.ReplaceAll(v, "{{", `{{ "{{" }}`)
		}
	}
	return v
}
