package password

import (
	"strings"
	"unicode"

	"github.com/ccojocar/zxcvbn-go"
)

const (
	// leastEntropy is what a password must have in bits by the estimate of zxcvbn: 2^19 guesses. Common passwords,
	// words and keyboard rows have less, also with a number, a capital letter or other usual changes.
	leastEntropy = 19
	// estimated bounds what is estimated, since that takes longer than in proportion.
	estimated = 40
	// leastWord is from how many characters on a part of a name or address counts.
	leastWord = 3
)

// Guessable reports whether a password is among the first that attackers try (NIST SP 800-63B, 3.1.1.2). about are
// texts that are known of its account, such as name and e-mail address.
func Guessable(plain string, about ...string) bool {
	words := []string{"countersign"}
	for _, text := range about {
		text = strings.ToLower(text)
		words = append(words, text)
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if len([]rune(word)) >= leastWord {
				words = append(words, word)
			}
		}
	}
	if runes := []rune(plain); len(runes) > estimated {
		plain = string(runes[:estimated])
	}
	return zxcvbn.PasswordStrength(plain, words).Entropy < leastEntropy
}
