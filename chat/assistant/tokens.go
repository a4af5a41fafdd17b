package assistant

import (
	"unicode/utf8"

	"countersign/model"
)

// A token is a whole word of English prose, but one digit, half a Hebrew letter or one and a half characters of base64:
// an assumption of four characters a token is wrong by a factor of two to six there. Tokens therefore follows what
// tokenizers of all families do, pieces of words by kind of character, with weights between those of the tokenizers of
// OpenAI, Llama, Qwen, DeepSeek and Gemma (testdata/tokens.json). An embedded tokenizer would be exact for one family
// and take 10 MB of vocabulary for each further one; what a provider counts corrects the rest (Calibration).

// Weights in hundredths of a token.
const (
	oneToken = 100
	// letterBeyond is for each letter of a word beyond the first few, which are one token in English and several in
	// other languages; accentedLetter is for a letter outside of ASCII.
	letterBeyond   = 30
	accentedLetter = 90
	// capitalBeyond is for capitals in a row, newCapital for a capital in a word, as in base64 and in identifiers.
	capitalBeyond = 40
	newCapital    = 120
	afterDigit    = 50
	digitWeight   = 90
	markWeight    = 95
	markBeyond    = 30
	lineBreak     = 60
	// blanks is for blanks in a row; a single one belongs to its word.
	blanks = 100

	englishLetters = 6
	otherLetters   = 4
)

// character is the kind of an ASCII character.
type character uint8

const (
	otherScript character = iota
	small
	capital
	digit
	blank
	newline
	mark
)

var ascii = func() (kinds [utf8.RuneSelf]character) {
	for r := range kinds {
		switch {
		case r >= 'a' && r <= 'z':
			kinds[r] = small
		case r >= 'A' && r <= 'Z':
			kinds[r] = capital
		case r >= '0' && r <= '9':
			kinds[r] = digit
		case r == ' ':
			kinds[r] = blank
		case r == '\n' || r == '\r' || r == '\t':
			kinds[r] = newline
		default:
			kinds[r] = mark
		}
	}
	return kinds
}()

// scriptWeights are the weights of a character by the last character of its range, in order.
var scriptWeights = []struct {
	last   rune
	weight int
}{
	{0x036F, 0},   // Latin letters, which words contain, and accents
	{0x03FF, 80},  // Greek
	{0x052F, 44},  // Cyrillic
	{0x058F, 120}, // Armenian
	{0x05FF, 90},  // Hebrew
	{0x08FF, 44},  // Arabic
	{0x0DFF, 90},  // the scripts of India
	{0x0EFF, 55},  // Thai and Lao
	{0x109F, 120},
	{0x10FF, 120}, // Georgian
	{0x11FF, 85},  // Hangul
	{0x1DFF, 120},
	{0x1EFF, 0},    // Latin letters with accents, as in Vietnamese
	{0x1FFF, 80},   // Greek
	{0x206F, 100},  // punctuation
	{0x2E7F, 150},  // symbols
	{0x30FF, 85},   // Kana, and the punctuation of Chinese and Japanese
	{0xA4CF, 95},   // Chinese characters
	{0xABFF, 120},  // small scripts
	{0xD7FF, 85},   // Hangul
	{0xF8FF, 200},  // private use
	{0xFAFF, 120},  // rare Chinese characters
	{0xFE0F, 60},   // Arabic forms, variation selectors
	{0xFFFF, 85},   // characters of full width
	{0x1FFFF, 200}, // pictures
}

func scriptWeight(r rune) int {
	for _, s := range scriptWeights {
		if r <= s.last {
			return s.weight
		}
	}
	return 2 * oneToken
}

// Tokens estimates the tokens of a text for any model: within a fifth for prose, code and JSON, and not much too low
// for anything.
func Tokens(text string) int {
	weight, row, limit := 0, 0, englishLetters
	last := blank
	for _, r := range text {
		kind := otherScript
		if r < utf8.RuneSelf {
			kind = ascii[r]
		}
		if kind == otherScript {
			w := scriptWeight(r)
			weight += w
			if w == 0 { // a Latin letter, so the text is not English
				weight, row, limit, kind = weight+accentedLetter, row+1, otherLetters, small
			}
			last = kind
			continue
		}
		if kind == last || kind == small && last == capital {
			row++
		} else {
			row = 1
		}
		switch kind {
		case small, capital:
			weight += letterWeight(kind, last, row, limit)
		case digit:
			weight += digitWeight
		case blank:
			if row == 2 {
				weight += blanks
			}
		case newline:
			if row == 1 {
				weight += lineBreak
			}
		default:
			if row == 1 {
				weight += markWeight
			} else {
				weight += markBeyond
			}
		}
		last = kind
	}
	return (weight + oneToken - 1) / oneToken
}

// letterWeight is the weight of a letter after a character of kind last, as the row-th letter of its piece of a word. A
// word of more than limit letters takes more than one token.
func letterWeight(kind, last character, row, limit int) int {
	switch {
	case row == 1 && last == small:
		return newCapital
	case row == 1 && last == digit:
		return oneToken + afterDigit
	case row == 1:
		return oneToken
	case kind == capital:
		return capitalBeyond
	case row > limit:
		return letterBeyond
	default:
		return 0
	}
}

// messageTokens are those around each message of a request.
const messageTokens = 4

// EstimateTokens estimates messages.
func EstimateTokens(messages []model.Message) int {
	total := 0
	for _, m := range messages {
		total += MessageTokens(m)
	}
	return total
}

// MessageTokens estimates one message, with the JSON and the signatures that go back to a provider unread.
func MessageTokens(m model.Message) int {
	total := messageTokens + Tokens(m.Content)
	if k := m.ReplayData; k != nil {
		total += Tokens(k.Text) + (k.Size()-len(k.Text))/unreadBytes
	}
	for _, c := range m.ToolCalls {
		total += callTokens + Tokens(c.Name) + Tokens(c.Arguments)
	}
	return total
}

const (
	// unreadBytes is the length of a token of a signature.
	unreadBytes = 2
	// callTokens are those around the name and the arguments of a call.
	callTokens = 6
)

// RequestTokens estimates a whole request, the tools' schemas included.
func RequestTokens(r model.Request) int { return EstimateTokens(r.Messages) + ToolTokens(r.Tools) }
