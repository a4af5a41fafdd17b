package auth

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// Sealer encrypts what is kept and must not be readable where it is kept.
type Sealer interface {
	Seal(plaintext, associated []byte) ([]byte, error)
	Open(sealed, associated []byte) ([]byte, error)
}

const sealedPrefix = "sealed:"

// passwordSeal is what a sealed password belongs to: it opens for nothing else.
var passwordSeal = []byte("auth proposed password")

// sealPassword makes of a password what a proposal keeps of it.
func sealPassword(s Sealer, password string) (string, error) {
	if password == "" || strings.HasPrefix(password, sealedPrefix) && openPassword(s, password) != "" {
		return password, nil
	}
	sealed, err := s.Seal([]byte(password), passwordSeal)
	if err != nil {
		return "", fmt.Errorf("seal password: %w", err)
	}
	return sealedPrefix + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// openPassword is the password that a proposal keeps; "", which is no password, when it cannot be opened.
func openPassword(s Sealer, kept string) string {
	text, ok := strings.CutPrefix(kept, sealedPrefix)
	if !ok {
		return kept
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	plain, err := s.Open(sealed, passwordSeal)
	if err != nil {
		return ""
	}
	return string(plain)
}
