// Package credential generates and parses the random texts of sessions, tokens and codes.
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

// New returns 256 random bits as text, and their SHA-256 hash, the only part that is stored.
func New() (text string, hash []byte) {
	raw := make([]byte, bytes)
	_, _ = rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw), hashOf(raw)
}

// Derive returns a text that only holders of key and from can compute, deterministic, and its hash. Each purpose has
// its own text.
func Derive(key []byte, purpose, from string) (text string, hash []byte) {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(purpose + "\x00" + from))
	raw := mac.Sum(nil)
	return base64.RawURLEncoding.EncodeToString(raw), hashOf(raw)
}

// Parse returns the hash of a text in the form of New. Looking up the hash of 256 random bits in an index leaks nothing
// by timing.
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
