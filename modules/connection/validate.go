package connection

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"countersign/chat/assistant"
	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/modules/connection/connectiondb"
)

const (
	maxNameChars    = 200
	maxURLBytes     = 2000
	maxKeyBytes     = 4096
	maxModels       = 500
	maxWindowTokens = 100_000_000
	smallestWindow  = assistant.LeastWindow

	maxSmallCallSeconds = 300
)

// validation checks an input and returns values in their stored form.
type validation struct {
	problem.Issues

	// own refuses the product's own addresses.
	own egress.Own
}

// name validates a trimmed one-line text, such as the name of a connection or a model id.
func (v *validation) name(path, value string) string {
	return text.Required(&v.Issues, path, text.Line(&v.Issues, path, value, maxNameChars))
}

// lookupTimeout bounds the DNS lookup when an address is saved. Each dial checks again.
const lookupTimeout = 2 * time.Second

// permitted accepts a name that cannot be resolved now.
func (v *validation) permitted(u *url.URL) bool {
	ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
	defer cancel()
	return v.own.CheckURL(ctx, u) == nil
}

// written is a base URL in its stored form.
func written(value string) string { return strings.TrimRight(strings.TrimSpace(value), "/") }

// baseURL may point into the operator's own network, where models are often served; managers of connections decide
// that.
func (v *validation) baseURL(value string) string {
	value = written(value)
	u, err := url.Parse(value)
	switch {
	case err != nil || len(value) > maxURLBytes || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" ||
		strings.ContainsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		example := "https://api.openai.com/v1"
		if completed := withScheme(value); completed != value && len(value) <= maxURLBytes {
			example = completed
		}
		v.Report("baseUrl", "must be an address such as %s", example)
	case u.User != nil:
		v.Report("baseUrl", "must not hold a user name or password; use the API key")
	case u.Fragment != "":
		v.Report("baseUrl", "must not have a fragment")
	case !v.permitted(u):
		v.Report("baseUrl", "must not lead to a link-local address, a metadata service of a cloud or a server of this installation")
	}
	return value
}

// key must fit into a header line.
func (v *validation) key(value string) string {
	value = strings.TrimSpace(value)
	if len(value) > maxKeyBytes || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		v.Report("apiKey", "must be printable ASCII without spaces, at most 4096 characters")
	}
	return value
}

func (v *validation) models(path string, values []string) []string {
	models := make([]string, 0, len(values))
	if len(values) > maxModels {
		v.Report(path, "must have at most 500 entries")
		return models
	}
	for i, value := range values {
		model := v.name(path+"["+strconv.Itoa(i)+"]", value)
		if !slices.Contains(models, model) {
			models = append(models, model)
		}
	}
	return models
}

func (v *validation) window(path string, tokens *int) *int {
	if tokens == nil || *tokens == 0 {
		return nil
	}
	switch {
	case *tokens < 0 || *tokens > maxWindowTokens:
		v.Report(path, "must be from %d to %d", smallestWindow, maxWindowTokens)
	case *tokens < smallestWindow:
		v.Report(
			path,
			"is too small for the assistant, which needs at least %d tokens for its instructions, its tools and what they find",
			smallestWindow,
		)
	}
	return tokens
}

// smallCalls validates the timeout of small calls; nil when unset or cleared with zero.
func (v *validation) smallCalls(path string, seconds *int) *int16 {
	if seconds == nil || *seconds == 0 {
		return nil
	}
	if *seconds < 1 || *seconds > maxSmallCallSeconds {
		v.Report(path, "must be from 1 to 300")
		return nil
	}
	return new(int16(*seconds))
}

func (v *validation) family(path, value string) string {
	if value == "" {
		return "generic"
	}
	if !slices.Contains([]string{"generic", "anthropic", "openai"}, value) {
		v.Report(path, "must be generic, anthropic or openai")
	}
	return value
}

func (v *validation) spendCap(path string, limit *SpendCap) *SpendCap {
	if limit == nil || *limit == (SpendCap{}) {
		return nil
	}
	if limit.TokenBudget < 1 || limit.TokenBudget > 1e12 {
		v.Report(path+".tokenBudget", "must be from 1 to 1000000000000")
	}
	if limit.WindowMinutes < 1 || limit.WindowMinutes > 525600 {
		v.Report(path+".windowMinutes", "must be from 1 to 525600")
	}
	return limit
}

// standard validates the default connection of new chats.
func (v *validation) standard(path string, row *connectiondb.AiConnection) {
	if row.IsDefault && !row.Enabled {
		v.Report(path, "must be an enabled connection")
	}
}

// sameServer reports whether a key for one address may be sent to the other.
func sameServer(a, b string) bool {
	first, errFirst := url.Parse(a)
	second, errSecond := url.Parse(b)
	return errFirst == nil && errSecond == nil && first.Scheme == second.Scheme && strings.EqualFold(first.Host, second.Host)
}
