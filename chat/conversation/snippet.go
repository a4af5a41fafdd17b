package conversation

import (
	"strings"
	"unicode"

	"countersign/internal/text/search"
)

// Limits of a snippet, in characters.
const (
	beforeHit = 40
	afterHit  = 120
)

// Piece is a part of a snippet.
type Piece struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty" doc:"It is the beginning of a word that was looked for"`
}

// snippet is the text around the first place where one of the terms begins a word, on one line, with all matches
// marked. A text without a match is shown from its start.
func snippet(content string, terms []string) []Piece {
	runes := []rune(strings.Join(strings.Fields(content), " "))
	folded := make([]rune, len(runes))
	for i, r := range runes {
		folded[i] = unicode.ToLower(r)
	}
	var long [][]rune
	for _, term := range terms {
		long = append(long, []rune(term))
	}
	first := 0
	for i := range folded {
		if search.Match(folded, i, long) > 0 {
			first = i
			break
		}
	}
	from, to := max(0, first-beforeHit), min(len(runes), first+afterHit)
	// Start with a whole word, unless it is very long.
	for i := from; from > 0 && i < first; i++ {
		if runes[i-1] == ' ' {
			from = i
			break
		}
	}
	var pieces []Piece
	add := func(part []rune, hit bool) {
		if len(part) > 0 {
			pieces = append(pieces, Piece{string(part), hit})
		}
	}
	plain := from
	for i := from; i < to; {
		n := search.Match(folded, i, long)
		if n == 0 {
			i++
			continue
		}
		add(runes[plain:i], false)
		add(runes[i:i+n], true)
		i += n
		plain = i
	}
	add(runes[plain:max(plain, to)], false)
	return ended(pieces, from > 0, to < len(runes))
}

// ended adds a mark to pieces where text is left out.
func ended(pieces []Piece, before, after bool) []Piece {
	if before {
		pieces = append([]Piece{{Text: "…"}}, pieces...)
	}
	if after {
		pieces = append(pieces, Piece{Text: "…"})
	}
	if pieces == nil {
		pieces = []Piece{}
	}
	return pieces
}
