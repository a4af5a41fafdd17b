// Package credential makes and reads the random texts that sessions, tokens and codes are.
package credential

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

const (
	bytes = 32
	// Chars is the length of a text: 32 bytes in unpadded base64url.
	Chars = 43
)

// New is 256 random bits as text and their SHA-256 hash, the only part that is stored.
func New() (text string, hash []byte) {
	raw := make([]byte, bytes)
	_, _ = rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw), hashOf(raw)
}

// Derive is a text that only who has the key and from could make, the same each time, and its hash. Each purpose has a text of its own.
func Derive(key []byte, purpose, from string) (text string, hash []byte) {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(purpose + "\x00" + from))
	raw := mac.Sum(nil)
	return base64.RawURLEncoding.EncodeToString(raw), hashOf(raw)
}

// Parse returns the hash of a text that New could have made. The hash of 256 random bits can be looked up in an index:
// nothing about the secret can be learned from how long that takes.
func Parse(text string) (hash []byte, ok bool) {
	if len(text) != Chars {
		return nil, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != bytes {
		return nil, false
	}
	return hashOf(raw), true
}

func hashOf(raw []byte) []byte {
	sum := sha256.Sum256(raw)
	return sum[:]
}
