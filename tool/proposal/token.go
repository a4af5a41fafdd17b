package proposal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

const (
	tokenPrefix = "propose:"
	nonceLength = 2 * sha256.Size
)

// Nonces derives the secret half of tokens. A nonce is derived with a server key from the proposal's id and 32 random
// bytes that are stored with it, so that the card can be rebuilt after a reload while the database holds no token.
type Nonces struct{ key []byte }

// NewNonces takes a key that every process of the product shares.
func NewNonces(key []byte) Nonces { return Nonces{key: key} }

func newSalt() ([]byte, error) {
	salt := make([]byte, 32)
	if _, err := rand.Read(salt); err != nil {
		return nil, fmt.Errorf("make nonce salt: %w", err)
	}
	return salt, nil
}

func (n Nonces) nonce(id uuid.UUID, salt []byte) string {
	mac := hmac.New(sha256.New, n.key)
	_, _ = mac.Write(id[:])
	_, _ = mac.Write(salt)
	return hex.EncodeToString(mac.Sum(nil))
}

// token returns "propose:<id>.<nonce>".
func (n Nonces) token(id uuid.UUID, salt []byte) string {
	return tokenPrefix + id.String() + "." + n.nonce(id, salt)
}

// fits verifies a nonce in constant time.
func (n Nonces) fits(id uuid.UUID, salt []byte, nonce string) bool {
	return hmac.Equal([]byte(nonce), []byte(n.nonce(id, salt)))
}

// ParseToken splits a token; ok is false for anything but its exact form.
func ParseToken(token string) (id uuid.UUID, nonce string, ok bool) {
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	if !ok || len(rest) != 36+1+nonceLength {
		return uuid.Nil, "", false
	}
	text, nonce, ok := strings.Cut(rest, ".")
	if !ok || len(text) != 36 || len(nonce) != nonceLength || strings.Trim(nonce, "0123456789abcdef") != "" {
		return uuid.Nil, "", false
	}
	id, err := uuid.Parse(text)
	return id, nonce, err == nil && id.String() == text
}
