// Package text knows what the names and texts that people write may hide, and in which form they are stored.
package text

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Disguises reports whether a character is invisible or reorders text, and so makes it look like other text: people
// decide by what a card or a page shows, while a model reads what is there.
func Disguises(r rune) bool {
	switch {
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029:
		return true
	case r == 0x200B, r == 0x200E, r == 0x200F, r == 0x2060, r == 0xFEFF, r == 0x00AD, r == 0x061C:
		return true
	case r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return false
}

// Key is the form in which names are compared: the same name in another case or composition has the same key.
func Key(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(strings.TrimSpace(name))))
}
