package strategy

import (
	"math"

	"countersign/check/assertion"
)

// cutFields are the fields of a result that hold only the beginning of the target's answer. A result embeds it.
type cutFields struct {
	// notes say by field what was looked at; nil for a whole result.
	notes map[string]string
}

// Incomplete implements check.Incomplete.
func (c *cutFields) Incomplete(field string) string { return c.notes[field] }

// note says why fields are not whole, such as "only the first 10,000 rows were counted".
func (c *cutFields) note(why string, fields ...string) {
	if c.notes == nil {
		c.notes = map[string]string{}
	}
	for _, f := range fields {
		c.notes[f] = why
	}
}

// clip truncates the text of a field, and notes it.
func (c *cutFields) clip(field, text string, most int) string {
	text = clip(text, math.MaxInt)
	if len(text) > most {
		c.note(onlyFirst(most), field)
	}
	return clip(text, most)
}

// numberOf returns the text of a field as a number; nil when it is none. A part of a text is none.
func (c *cutFields) numberOf(text, field string) *assertion.Exact {
	if why := c.notes[field]; why != "" {
		c.note(why, "number")
		return nil
	}
	return assertion.NewExact(text)
}

// onlyFirst is the note of a text of which only the beginning was looked at.
func onlyFirst(bytes int) string {
	switch {
	case bytes%(1<<20) == 0:
		return "only the first " + itoa(bytes>>20) + " MiB was looked at"
	case bytes%(1<<10) == 0:
		return "only the first " + itoa(bytes>>10) + " KiB was looked at"
	default:
		return "only the first " + itoa(bytes) + " bytes were looked at"
	}
}
