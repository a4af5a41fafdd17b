package schema

import (
	"context"
	"net/mail"
	"net/netip"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/qri-io/jsonpointer"
	validate "github.com/qri-io/jsonschema"

	"countersign/internal/text/rfc3339"
)

const dateTime = "date-time"

// formats are the validated formats; others are annotations.
var formats = map[string]func(string) bool{
	dateTime: func(s string) bool { _, err := rfc3339.Parse(s); return err == nil },
	"date":   func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil },
	// The canonical form only: uuid accepts others, which would have to be normalised for comparison.
	"uuid": func(s string) bool { _, err := uuid.Parse(s); return err == nil && len(s) == 36 },
	"email": func(s string) bool {
		address, err := mail.ParseAddress(s)
		return err == nil && address.Address == s
	},
	"ipv4": func(s string) bool { address, err := netip.ParseAddr(s); return err == nil && address.Is4() },
	"ipv6": func(s string) bool { address, err := netip.ParseAddr(s); return err == nil && address.Is6() },
	"uri": func(s string) bool {
		address, err := url.Parse(s)
		return err == nil && address.IsAbs()
	},
}

// formatIssue is the message about a text that is not of a format, "" when it is.
func formatIssue(format, text string) string {
	valid, known := formats[format]
	if !known || valid(text) {
		return ""
	}
	switch format {
	case dateTime:
		_, err := rfc3339.Parse(text)
		return err.Error() + "; write date, time and offset as in " + rfc3339.Suggest(clipped(text))
	case "uuid":
		return "is not an id; ids look like 0199aa00-0000-7000-8000-000000000001"
	}
	return "is not of the format " + format
}

// format is the keyword of the library, with the formats of this package.
type format string

func newFormat() validate.Keyword { return new(format) }

func (*format) Register(string, *validate.SchemaRegistry) {}

func (*format) Resolve(jsonpointer.Pointer, string) *validate.Schema { return nil }

func (f *format) ValidateKeyword(_ context.Context, state *validate.ValidationState, value any) {
	if text, ok := value.(string); ok && formatIssue(string(*f), text) != "" {
		state.AddError(value, "is not of the format "+string(*f))
	}
}
