package secret

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

const hidden = "[secret]"

// Value is a secret text in the hands of the process: a password, a token. Whatever prints, logs or encodes one shows a
// placeholder; only Reveal gives the text away.
type Value struct{ text string }

// NewValue holds a text.
func NewValue(text string) Value { return Value{text} }

// Reveal is the text, for the one place that needs it.
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
