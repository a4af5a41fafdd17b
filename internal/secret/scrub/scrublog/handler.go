// Package scrublog takes credentials out of what is logged.
package scrublog

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"countersign/internal/secret/scrub"
)

// NewHandler wraps h and removes credentials from messages and attributes: texts, errors, groups, and any other value
// in its printed and encoded forms.
func NewHandler(h slog.Handler) slog.Handler {
	if already, ok := h.(handler); ok {
		return already
	}
	return handler{next: h}
}

type handler struct{ next slog.Handler }

// Enabled implements slog.Handler.
func (h handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, scrub.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(attribute(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return handler{next: h.next.WithAttrs(all(attributes))}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler { return handler{next: h.next.WithGroup(name)} }

func all(attributes []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(attributes))
	for i, a := range attributes {
		clean[i] = attribute(a)
	}
	return clean
}

func attribute(a slog.Attr) slog.Attr {
	a.Value = value(a.Key, a.Value.Resolve())
	return a
}

func value(key string, v slog.Value) slog.Value {
	switch v.Kind() {
	case slog.KindString:
		return slog.StringValue(text(key, v.String()))
	case slog.KindGroup:
		return slog.GroupValue(all(v.Group())...)
	case slog.KindAny:
		return anything(key, v)
	default:
		return v
	}
}

func text(key, s string) string {
	if scrub.Value(key, s) {
		return scrub.Marker
	}
	return scrub.Text(s)
}

// anything keeps a value that shows no credential in any form in which a handler may write it.
func anything(key string, v slog.Value) slog.Value {
	var said string
	switch a := v.Any().(type) {
	case nil:
		return v
	case time.Time, *slog.Source, slog.Level:
		return v
	case error:
		said = a.Error()
	case []byte:
		said = string(a)
	case json.RawMessage:
		said = string(scrub.JSON(a))
	case fmt.Stringer:
		said = a.String()
	default:
		return composed(key, v)
	}
	if clean := text(key, said); clean != said {
		return slog.StringValue(clean)
	}
	return composed(key, v)
}

// composed keeps a value with members unless one of them is a credential. Then all of them are looked at in a form that
// tells where each begins and ends: as JSON, or as Go writes what JSON leaves out.
func composed(key string, v slog.Value) slog.Value {
	said := fmt.Sprintf("%+v", v.Any())
	if scrub.Value(key, said) {
		return slog.StringValue(scrub.Marker)
	}
	if encoded, err := json.Marshal(v.Any()); err == nil {
		if clean := scrub.JSON(encoded); string(clean) != string(encoded) {
			return slog.StringValue(string(clean))
		}
	}
	literal := fmt.Sprintf("%#v", v.Any())
	if clean := scrub.Text(literal); clean != literal {
		return slog.StringValue(clean)
	}
	if scrub.Text(said) != said {
		return slog.StringValue(scrub.Marker)
	}
	return v
}
