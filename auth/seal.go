package auth

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/tool"
)

// Sealer encrypts stored secrets.
type Sealer interface {
	Seal(plaintext, associated []byte) ([]byte, error)
	Open(sealed, associated []byte) ([]byte, error)
}

const sealedPrefix = "sealed:"

// passwordSeal is the additional data of a sealed password: it can be decrypted for that account only.
func passwordSeal(account string) []byte { return []byte("auth proposed password\n" + account) }

// accountKey identifies an existing account by its id, and a new one by its address.
func accountKey[T uuid.UUID | string](name T) string { return fmt.Sprint(name) }

// isStoredPayload reports whether a dry run is about the payload of a decided proposal. In any other input a text that
// looks sealed is a plain password: a sealed password read from a card is useless.
func isStoredPayload(ctx context.Context) bool { return tool.Carried(ctx) != "" }

// sealPassword encrypts a password for the payload of a proposal.
func (a *Auth) sealPassword(ctx context.Context, account, password string) (string, error) {
	if isStoredPayload(ctx) {
		return password, nil
	}
	sealed, err := a.sealer.Seal([]byte(password), passwordSeal(account))
	if err != nil {
		return "", fmt.Errorf("seal password: %w", err)
	}
	return sealedPrefix + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// unsealPassword returns the password of an input, which is encrypted in a decided proposal.
func (a *Auth) unsealPassword(ctx context.Context, account, password string) string {
	if isStoredPayload(ctx) {
		return openPassword(a.sealer, account, password)
	}
	return password
}

// openPassword decrypts a stored password; "", which is no password, when that fails.
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
