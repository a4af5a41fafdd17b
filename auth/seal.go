package auth

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/tool"
)

// Sealer encrypts what is kept and must not be readable where it is kept.
type Sealer interface {
	Seal(plaintext, associated []byte) ([]byte, error)
	Open(sealed, associated []byte) ([]byte, error)
}

const sealedPrefix = "sealed:"

// passwordSeal is what a sealed password belongs to: it opens for that account and for nothing else.
func passwordSeal(account string) []byte { return []byte("auth proposed password\n" + account) }

// accountOf names an account that exists by its id, and one that does not yet by its address.
func accountOf[T uuid.UUID | string](name T) string { return fmt.Sprint(name) }

// stored reports whether a dry run is about the payload of a decided proposal. Any other input comes from outside, where a
// text that looks sealed is a password like another: what somebody has read on a card is of no use to them.
func stored(ctx context.Context) bool { return tool.Carried(ctx) != "" }

// kept is what a proposal keeps of a password.
func (a *Auth) kept(ctx context.Context, account, password string) (string, error) {
	if stored(ctx) {
		return password, nil
	}
	sealed, err := a.sealer.Seal([]byte(password), passwordSeal(account))
	if err != nil {
		return "", fmt.Errorf("seal password: %w", err)
	}
	return sealedPrefix + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// told is the password of an input, which a decided proposal keeps sealed.
func (a *Auth) told(ctx context.Context, account, password string) string {
	if stored(ctx) {
		return openPassword(a.sealer, account, password)
	}
	return password
}

// openPassword is the password that a proposal keeps; "", which is no password, when it cannot be opened.
func openPassword(s Sealer, account, kept string) string {
	text, ok := strings.CutPrefix(kept, sealedPrefix)
	if !ok {
		return kept
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	plain, err := s.Open(sealed, passwordSeal(account))
	if err != nil {
		return ""
	}
	return string(plain)
}
