package secret

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

const hidden = "[secret]"

// Value is a secret text in memory: a password, a token. Printing, logging and encoding show a placeholder; only Reveal
// returns the text.
type Value struct{ text string }

// NewValue holds a text.
func NewValue(text string) Value { return Value{text} }

// Reveal returns the text, for the one place that needs it.
func (v Value) Reveal() string { return v.text }

// Format prints a placeholder for every verb.
func (Value) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, hidden) }

func (Value) String() string { return hidden }

// LogValue logs a placeholder.
func (Value) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON writes a placeholder.
func (Value) MarshalJSON() ([]byte, error) { return json.Marshal(hidden) }

// MarshalText writes a placeholder, as for a key of a map.
func (Value) MarshalText() ([]byte, error) { return []byte(hidden), nil }
