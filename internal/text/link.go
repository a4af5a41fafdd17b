package text

import (
	"net/url"
	"strings"
	"unicode"

	"countersign/internal/problem"
)

// WebAddress is the stored form of the address of a page that people open, without credentials.
func WebAddress(issues *problem.Issues, path, value string, limit int) string {
	value = Line(issues, path, value, limit)
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Hostname() == "" || strings.ContainsFunc(value, unicode.IsSpace):
		issues.Report(path, "must be a complete address such as https://example.com/page")
	case u.Scheme != "http" && u.Scheme != "https":
		issues.Report(path, "must begin with http:// or https://")
	case u.User != nil:
		issues.Report(path, "must not hold a user name or password")
	}
	return value
}
