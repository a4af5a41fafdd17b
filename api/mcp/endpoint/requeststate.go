package endpoint

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
)

// askMode is the way of asking a person about a proposal.
type askMode byte

// askedForm is answered in the client, askedPage in the app.
const (
	askForm askMode = 'f'
	askPage askMode = 'p'
)

// stateSealer seals and opens the requestState that a client returns with the answer to a question. The client can change,
// keep or share it, so a MAC binds it to the principal with its session or token, the proposal, the call, the way of
// asking and an expiry. It decides nothing itself: the proposal's row decides once.
type stateSealer struct{ key []byte }

const (
	stateVersion = 1
	// Version, way of asking, proposal, expiry.
	stateBytes = 1 + 1 + 16 + 8
)

// requestState is the content of a requestState.
type requestState struct {
	mode     askMode
	proposal uuid.UUID
	expires  time.Time
}

// seal writes a state for p and the call.
func (s stateSealer) seal(p principal.Principal, name string, input json.RawMessage, st requestState) string {
	plain := make([]byte, 0, stateBytes+sha256.Size)
	plain = append(plain, stateVersion, byte(st.mode))
	plain = append(plain, st.proposal[:]...)
	plain = binary.BigEndian.AppendUint64(plain, uint64(st.expires.UnixMicro()))
	return base64.RawURLEncoding.EncodeToString(s.sign(plain, p, name, input))
}

// open verifies a state that p returned with the call.
func (s stateSealer) open(text string, p principal.Principal, name string, input json.RawMessage, now time.Time) (requestState, error) {
	unknown := problem.Errorf(problem.Invalid, "The requestState is not one that was given for this call. Call the tool again without it.")
	if len(text) != base64.RawURLEncoding.EncodedLen(stateBytes+sha256.Size) {
		return requestState{}, unknown
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || raw[0] != stateVersion || !hmac.Equal(raw, s.sign(raw[:stateBytes:stateBytes], p, name, input)) {
		return requestState{}, unknown
	}
	st := requestState{
		mode:     askMode(raw[1]),
		proposal: uuid.UUID(raw[2:18]),
		expires:  time.UnixMicro(int64(binary.BigEndian.Uint64(raw[18:26]))),
	}
	if !now.Before(st.expires) {
		return requestState{}, problem.Errorf(problem.Expired, "The time to decide is over. Call the tool again if the person still wants it.")
	}
	return st, nil
}

// sign appends the MAC for p and the call. Each part is prefixed with its length, so that no two inputs collide.
func (s stateSealer) sign(plain []byte, p principal.Principal, name string, input json.RawMessage) []byte {
	mac := hmac.New(sha256.New, s.key)
	for _, part := range [][]byte{plain, []byte(p.Key()), p.SessionID[:], []byte(name), input} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		_, _ = mac.Write(length[:])
		_, _ = mac.Write(part)
	}
	return mac.Sum(plain)
}
