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

	// sessionVersion is the form of a turn's credential behind which a session or an API token stands, runVersion that
	// behind which a run stands, readerVersion that of a person who is sent something and has no session: it only reads.
	sessionVersion = 1
	runVersion     = 2
	readerVersion  = 3
	// sessionClaimsBytes covers version, kind, principal, session, turn and expiry; a run's form adds definition and
	// revision.
	sessionClaimsBytes = 1 + 1 + 16 + 16 + 16 + 8
	runClaimsBytes     = sessionClaimsBytes + 16 + 8
)

// Delegator mints and verifies delegated credentials: the right of one turn to act as the principal that started it.
//
// A credential is a signed statement, not a row. It names the turn, the principal and the session or API token behind
// it, or the run and the revision of its definition; the Authenticator accepts it only while all of them stand, so
// revoking one of them ends all its credentials. It is accepted only from in-process requests (see InProcess), so one
// that leaks into a log is useless. Its expiry is read on the clock that wrote it (no clock skew).
type Delegator struct {
	key []byte
}

type claims struct {
	kind      principal.Kind
	principal uuid.UUID
	session   uuid.UUID
	turn      uuid.UUID
	expires   time.Time
	// run is set for the credential of a run, whose id is session.
	run *runClaims
	// reader reports that no session stands behind it.
	reader bool
}

// runClaims are what the credential of a run says about its definition.
type runClaims struct {
	definition uuid.UUID
	revision   int64
}

// fits reports whether p acts in a run of this revision of the definition.
func (r runClaims) fits(p principal.Principal) bool {
	return p.Run != nil && p.Run.Definition.ID == r.definition && p.Run.Definition.Revision == r.revision
}

// Mint creates the bearer token with which turnID acts as p for ttl; zero or less means DelegationTTL. Credentials for
// other principals than users and applications are never accepted. That of a person without a session only reads: a message
// to them is rendered.
func (d *Delegator) Mint(p principal.Principal, turnID uuid.UUID, ttl time.Duration) string {
	if ttl <= 0 {
		ttl = DelegationTTL
	}
	version := byte(sessionVersion)
	switch {
	case p.Run != nil:
		version = runVersion
	case p.Kind == principal.User && p.SessionID == uuid.Nil:
		version = readerVersion
	}
	c := make([]byte, 0, runClaimsBytes+sha256.Size)
	c = append(c, version, kindByte(p.Kind))
	c = append(c, p.ID[:]...)
	c = append(c, p.SessionID[:]...)
	c = append(c, turnID[:]...)
	c = binary.BigEndian.AppendUint64(c, uint64(time.Now().Add(min(ttl, maxDelegationTTL)).UnixMicro()))
	if p.Run != nil {
		c = append(c, p.Run.Definition.ID[:]...)
		c = binary.BigEndian.AppendUint64(c, uint64(p.Run.Definition.Revision))
	}
	return DelegatedPrefix + base64.RawURLEncoding.EncodeToString(d.sign(c, c))
}

// verify checks signature, form and expiry of the text after the prefix.
func (d *Delegator) verify(text string) (claims, bool) {
	if len(text) > base64.RawURLEncoding.EncodedLen(runClaimsBytes+sha256.Size) {
		return claims{}, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return claims{}, false
	}
	said := len(raw) - sha256.Size
	var version byte
	switch said {
	case sessionClaimsBytes:
		version = sessionVersion
		if raw[0] == readerVersion {
			version = readerVersion
		}
	case runClaimsBytes:
		version = runVersion
	default:
		return claims{}, false
	}
	if !hmac.Equal(raw[said:], d.sign(nil, raw[:said])) || raw[0] != version {
		return claims{}, false
	}
	kind, known := kindOf(raw[1])
	c := claims{
		kind: kind, principal: uuid.UUID(raw[2:18]), session: uuid.UUID(raw[18:34]), turn: uuid.UUID(raw[34:50]),
		expires: time.UnixMicro(int64(binary.BigEndian.Uint64(raw[50:58]))),
	}
	c.reader = version == readerVersion
	if c.reader {
		known = known && kind == principal.User && c.session == uuid.Nil
	}
	if version == runVersion {
		c.run = &runClaims{definition: uuid.UUID(raw[58:74]), revision: int64(binary.BigEndian.Uint64(raw[74:82]))}
		known = known && kind == principal.Application
	}
	// A run acts in turns, and in steps of its own.
	known = known && (c.turn != uuid.Nil || c.run != nil)
	return c, known && time.Now().Before(c.expires)
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
