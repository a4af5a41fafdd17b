package password

import (
	"strings"
	"unicode"

	"github.com/ccojocar/zxcvbn-go"
)

const (
	// leastEntropy is the minimum entropy of a password in bits by zxcvbn's estimate: 2^19 guesses. Common passwords,
	// words and keyboard rows have less, even with a number, a capital letter or other usual changes.
	leastEntropy = 19
	// estimated bounds the estimated prefix, as the cost grows faster than the length.
	estimated = 40
	// leastWord is the minimum length of a part of a name or address that counts.
	leastWord = 3
)

// Guessable reports whether a password is easily guessed (NIST SP 800-63B, 3.1.1.2). about are texts known about its
// account, such as name and e-mail address.
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
