package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
)

const (
	// DelegationTTL is the default lifetime of a delegated credential.
	DelegationTTL = time.Minute
	// maxDelegationTTL bounds the requested lifetime: a longer tool call mints again.
	maxDelegationTTL = 15 * time.Minute

	delegationVersion = 1
	// claimsBytes covers version, kind, principal, session, turn and expiry.
	claimsBytes = 1 + 1 + 16 + 16 + 16 + 8
)

// Delegator mints and verifies delegated credentials: the right of one turn to act as the principal that started it.
//
// A credential is a signed statement, not a row. It names the turn, the principal and the session or API token behind
// it; the Authenticator accepts it only while all of them stand, so revoking the session ends all its credentials. It
// is accepted only from in-process requests (see InProcess), so one that leaks into a log is useless. Its expiry is
// read on the clock that wrote it (no clock skew).
type Delegator struct {
	key []byte
}

type claims struct {
	kind      principal.Kind
	principal uuid.UUID
	session   uuid.UUID
	turn      uuid.UUID
	expires   time.Time
}

// Mint creates the bearer token with which turnID acts as p for ttl; zero or less means DelegationTTL. Credentials for
// other principals than users and applications are never accepted.
func (d *Delegator) Mint(p principal.Principal, turnID uuid.UUID, ttl time.Duration) string {
	if ttl <= 0 {
		ttl = DelegationTTL
	}
	c := make([]byte, 0, claimsBytes+sha256.Size)
	c = append(c, delegationVersion, kindByte(p.Kind))
	c = append(c, p.ID[:]...)
	c = append(c, p.SessionID[:]...)
	c = append(c, turnID[:]...)
	c = binary.BigEndian.AppendUint64(c, uint64(time.Now().Add(min(ttl, maxDelegationTTL)).UnixMicro()))
	return DelegatedPrefix + base64.RawURLEncoding.EncodeToString(d.sign(c, c))
}

// verify checks signature, form and expiry of the text after the prefix.
func (d *Delegator) verify(text string) (claims, bool) {
	if len(text) != base64.RawURLEncoding.EncodedLen(claimsBytes+sha256.Size) {
		return claims{}, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || !hmac.Equal(raw[claimsBytes:], d.sign(nil, raw[:claimsBytes])) {
		return claims{}, false
	}
	kind, known := kindOf(raw[1])
	c := claims{
		kind: kind, principal: uuid.UUID(raw[2:18]), session: uuid.UUID(raw[18:34]), turn: uuid.UUID(raw[34:50]),
		expires: time.UnixMicro(int64(binary.BigEndian.Uint64(raw[50:58]))),
	}
	return c, known && raw[0] == delegationVersion && c.turn != uuid.Nil && time.Now().Before(c.expires)
}

// sign appends the signature of message to to.
func (d *Delegator) sign(to, message []byte) []byte {
	mac := hmac.New(sha256.New, d.key)
	_, _ = mac.Write(message)
	return mac.Sum(to)
}

func kindByte(k principal.Kind) byte {
	switch k {
	case principal.User:
		return 'u'
	case principal.Application:
		return 'a'
	default:
		return 0
	}
}

func kindOf(b byte) (principal.Kind, bool) {
	switch b {
	case 'u':
		return principal.User, true
	case 'a':
		return principal.Application, true
	default:
		return "", false
	}
}

// InProcess reports whether a request was made inside of the process, as package tool makes them: from port 0 of the
// loopback address, which no TCP connection has. A unix socket has no such address either.
func InProcess(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && port == "0" && host == "127.0.0.1"
}

// delegated cuts the prefix of a delegated credential.
func delegated(token string) (string, bool) { return strings.CutPrefix(token, DelegatedPrefix) }
