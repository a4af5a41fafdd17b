package endpoint

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"countersign/principal"
	"countersign/problem"
)

// asked is how a person was asked about a proposal.
type asked byte

// askedForm is answered by the client, askedPage in the app.
const (
	askedForm asked = 'f'
	askedPage asked = 'p'
)

// states makes what a client sends back with the answer to a question, and reads it. The client is given the text and can
// change it, keep it and send it to others; so it is bound to the principal with its session or token, to the proposal, to the
// call, to how the person was asked, and to a time. It decides nothing by itself: a proposal is decided once, in its row.
type states struct{ key []byte }

const (
	stateVersion = 1
	// Version, how, proposal, expiry.
	stateBytes = 1 + 1 + 16 + 8
)

// state is what was asked.
type state struct {
	how      asked
	proposal uuid.UUID
	expires  time.Time
}

// seal writes a state for p and the call.
func (s states) seal(p principal.Principal, name string, input json.RawMessage, st state) string {
	plain := make([]byte, 0, stateBytes+sha256.Size)
	plain = append(plain, stateVersion, byte(st.how))
	plain = append(plain, st.proposal[:]...)
	plain = binary.BigEndian.AppendUint64(plain, uint64(st.expires.UnixMicro()))
	return base64.RawURLEncoding.EncodeToString(s.sign(plain, p, name, input))
}

// open reads a state that p sent back with the call.
func (s states) open(text string, p principal.Principal, name string, input json.RawMessage, now time.Time) (state, error) {
	unknown := problem.Errorf(problem.Invalid, "The requestState is not one that was given for this call. Call the tool again without it.")
	if len(text) != base64.RawURLEncoding.EncodedLen(stateBytes+sha256.Size) {
		return state{}, unknown
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || raw[0] != stateVersion || !hmac.Equal(raw, s.sign(raw[:stateBytes:stateBytes], p, name, input)) {
		return state{}, unknown
	}
	st := state{how: asked(raw[1]), proposal: uuid.UUID(raw[2:18]), expires: time.UnixMicro(int64(binary.BigEndian.Uint64(raw[18:26])))}
	if !now.Before(st.expires) {
		return state{}, problem.Errorf(problem.Expired, "The time to decide is over. Call the tool again if the person still wants it.")
	}
	return st, nil
}

// sign appends to plain its signature for p and the call. Each part has its length before it, so that no two are alike.
func (s states) sign(plain []byte, p principal.Principal, name string, input json.RawMessage) []byte {
	mac := hmac.New(sha256.New, s.key)
	for _, part := range [][]byte{plain, []byte(p.Key()), p.SessionID[:], []byte(name), input} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		_, _ = mac.Write(length[:])
		_, _ = mac.Write(part)
	}
	return mac.Sum(plain)
}
