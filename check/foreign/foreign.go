// Package foreign reads configurations of other monitoring products: Gatus, Uptime Kuma, the blackbox exporter with the
// targets of Prometheus, and Checkly. A parse is pure. Its result is checks of this product, and a list of all that
// changes its meaning or is left out, each with its line. A format has one file; the tree of values in tree.go bounds
// every input, and object.go reports each setting that a format did not read.
//
// Passwords and tokens become references to secrets of the vault. Their values are in no result.
package foreign

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"countersign/check"
	"countersign/check/health"
	"countersign/internal/problem"
	"countersign/internal/text"
)

// Formats.
const (
	Gatus      = "gatus"
	UptimeKuma = "uptime-kuma"
	Blackbox   = "blackbox"
	Checkly    = "checkly"
)

// Limits of one parse.
const (
	MaxBytes    = 1 << 20
	MaxMonitors = 1000
	maxFindings = 2000
)

// Kinds of findings.
const (
	// Changes is a setting that is kept with another meaning.
	Changes = "changes"
	// LeftOut is a setting, or a whole monitor, that is not kept.
	LeftOut = "leftOut"
)

// Finding is a setting that is not kept as it is.
type Finding struct {
	Kind string
	// Line is counted from 1.
	Line int
	// Monitor is the name of the monitor; empty for settings of the whole file.
	Monitor string
	// Setting is the path of the setting; empty for the whole monitor.
	Setting string
	Message string
}

// Secret is a password or token of the source.
type Secret struct {
	Name string
	Line int
	// Column and Length are where its value stands in the line, in UTF-16 code units counted from 0; Length is 0 for a value that does
	// not stand in the source.
	Column, Length int
	// Monitors use it.
	Monitors []string
}

// Check is a check that stands for a monitor.
type Check struct {
	Name          string
	Description   string
	Line          int
	Configuration check.Configuration
	Interval      int
	Paused        bool
	// System is the name of the system that it is about.
	System     string
	Thresholds health.Thresholds
}

// Plan is what a configuration becomes.
type Plan struct {
	Format string
	// Monitors are all monitors of the source, Mapped those that became a check.
	Monitors, Mapped int
	Checks           []Check
	Findings         []Finding
	Secrets          []Secret
}

// formats are the known formats, in the order in which they are tried.
var formats = []struct {
	id   string
	fits func(root *value) bool
	read func(p *plan, root *value)
}{
	{Gatus, isGatus, readGatus},
	{UptimeKuma, isKuma, readKuma},
	{Blackbox, isBlackbox, readBlackbox},
	{Checkly, isCheckly, readCheckly},
}

// Formats lists the ids of the formats.
func Formats() []string {
	ids := make([]string, len(formats))
	for i, f := range formats {
		ids[i] = f.id
	}
	return ids
}

// Detect returns the format of a text, or "" if it is none of these.
func Detect(content string) string {
	documents, err := parse(content)
	if err != nil {
		return ""
	}
	for _, f := range formats {
		if slices.ContainsFunc(documents, f.fits) {
			return f.id
		}
	}
	return ""
}

// Read parses a text of a format. The error is an Invalid one: the text cannot be read as a whole.
func Read(format, content string) (read *Plan, err error) {
	at := slices.IndexFunc(formats, func(f struct {
		id   string
		fits func(root *value) bool
		read func(p *plan, root *value)
	},
	) bool {
		return f.id == format
	})
	if at < 0 {
		return nil, invalid("is none of " + strings.Join(Formats(), ", "))
	}
	documents, err := parse(content)
	if err != nil {
		return nil, invalid(text.Shown(err.Error(), 300))
	}
	p := newPlan(format, content)
	fits := 0
	root := &value{kind: list, line: 1}
	for _, d := range documents {
		if formats[at].fits(d) {
			fits++
			root.items = append(root.items, d)
		}
	}
	if fits == 0 {
		return nil, invalid("has no monitors of this format")
	}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case tooMuch:
			read, err = nil, invalid("has too many monitors, or too many settings for each: split it")
		default:
			panic(v)
		}
	}()
	formats[at].read(p, root)
	return p.finish(), nil
}

func invalid(message string) error {
	return problem.InvalidInput("The file cannot be read: it "+message+".", problem.Issue{Path: "document", Message: message})
}

// secretReference is a reference as secret writes it.
var secretReference = regexp.MustCompile(`secrets\.([A-Z0-9_]+) \}\}`)

// finish orders the findings by line.
func (p *plan) finish() *Plan {
	slices.SortStableFunc(p.Findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	if len(p.Findings) > maxFindings {
		p.Findings = append(p.Findings[:maxFindings], Finding{
			Kind: LeftOut, Line: p.Findings[maxFindings].Line, Message: "There are more findings than can be shown. Split the file.",
		})
	}
	// A monitor that is left out may have been the only one with a secret.
	used := map[string]bool{}
	for _, c := range p.Checks {
		for _, part := range [][]byte{c.Configuration.Config, c.Configuration.Collectors[0].Config} {
			for _, found := range secretReference.FindAllSubmatch(part, -1) {
				used[string(found[1])] = true
			}
		}
	}
	p.Secrets = slices.DeleteFunc(p.Secrets, func(s Secret) bool { return !used[s.Name] })
	p.Mapped = p.Monitors - p.dropped
	return &p.Plan
}
