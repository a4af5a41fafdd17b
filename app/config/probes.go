package config

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the location of a probe.
const (
	maxLocationText = 60
	maxProbeLabels  = 20
)

// probeIssue describes an invalid location of a probe, "" for none.
func (c Config) probeIssue() string {
	switch {
	case c.ProbeLocation != "" && !plain(c.ProbeLocation):
		return "COUNTERSIGN_PROBE_LOCATION must have 1 to 60 characters, and no comma, line break or space at its ends"
	case strings.EqualFold(c.ProbeLocation, "main"):
		return "COUNTERSIGN_PROBE_LOCATION must not be main, which is the location of the workers"
	case len(c.ProbeLabels) > maxProbeLabels:
		return "COUNTERSIGN_PROBE_LABELS must have 20 labels at most"
	}
	for name, value := range c.ProbeLabels {
		if !plain(name) || !plain(value) {
			return "COUNTERSIGN_PROBE_LABELS must look like cloud=ours,region=eu, with names and values of 1 to 60 characters"
		}
	}
	return ""
}

func plain(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= maxLocationText && utf8.ValidString(s) && strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return r == ',' || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co) })
}
