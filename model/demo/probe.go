package demo

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	address = regexp.MustCompile(`(?i)https?://[^\s<>"'\x{E000}-\x{F8FF}]+`)
	asHead  = regexp.MustCompile(`\bHEAD\b|(?i:\bheaders?\b)`)

	probeRules = []rule{
		{when(`.*https?://.*`), probe},
		{when(`(?:probe|ping|fetch|curl|check)\s+(?P<host>(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[:/]\S*)?)`), probe},
		{when(`.*[\x{E000}-\x{F8FF}].*`), probe}, // an address in quotes
	}
)

const maxSample = 600

// probe asks an address and reports what it really answered.
func probe(t *turn, m match) bool {
	url := address.FindString(m.all())
	if host := m.text("host"); url == "" && host != "" {
		url = "https://" + host
	}
	if url == "" {
		return false
	}
	url = strings.TrimRight(url, ".,;:!?)*`")
	input := object{"url": url}
	if asHead.MatchString(address.ReplaceAllString(m.all(), "")) {
		input["method"] = "HEAD"
	}
	r, ok := t.read(probeURL, input)
	if !ok {
		return true
	}
	t.say(probed(url, r.entry("")))
	return true
}

func probed(url string, e entry) string {
	status, _ := e["status"].(float64)
	text := fmt.Sprintf("`%s` answered **%d", strings.ReplaceAll(url, "`", ""), int(status))
	if reason := strings.TrimSpace(strings.TrimPrefix(e.text("statusText"), fmt.Sprint(int(status)))); reason != "" {
		text += " " + clean(reason)
	}
	text += "**"
	if kind := e.text("contentType"); kind != "" {
		text += " with `" + strings.ReplaceAll(kind, "`", "") + "`"
	}
	text += ". "
	switch {
	case status >= 500:
		text += "The server has a problem."
	case status >= 400:
		text += "The address exists, but it refuses this request."
	case status >= 300:
		text += "It redirects"
		if to := e.text("location"); to != "" {
			text += " to `" + strings.ReplaceAll(to, "`", "") + "`"
		}
		text += "; redirects are not followed."
	case status >= 200:
		text += "It looks healthy."
	}
	sample := strings.TrimSpace(e.text("bodySample"))
	if sample == "" {
		return text
	}
	fence := "```"
	for strings.Contains(sample, fence) {
		fence += "`"
	}
	cut := len(sample) > maxSample
	if cut {
		sample = strings.ToValidUTF8(sample[:maxSample], "")
	}
	text += " The answer begins with:\n\n" + fence + "\n" + sample + "\n" + fence
	if truncated, _ := e["bodyTruncated"].(bool); truncated || cut {
		text += "\n\nThere is more of it."
	}
	return text
}
