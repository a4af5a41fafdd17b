package health

import (
	"encoding/binary"
	"errors"
	"time"
)

// State is the health of a target with the counters of its thresholds. Its zero value is a target that has never run.
// It is comparable: a run without an effect leaves an equal one.
type State struct {
	status Status
	// raw is the status before flap damping.
	raw      Status
	flapping bool
	// window reports that the counts are those of a window.
	window bool
	// errors, fails and passes are streaks, clamped at their thresholds.
	errors, fails, passes uint8
	// runs is the number of results in recent, the last one in the lowest bit: 1 for a failed one.
	runs   uint8
	recent [2]uint64
	// flaps are the last changes between healthy and not healthy, in seconds of the epoch, newest first; 0 is none.
	flaps [MaxFlaps + 1]uint32
	// failing and erring are the slots of the first run of the current streak of failed and of errored runs, in milliseconds since
	// 1970; 0 without one. They are stored beside the encoded state.
	failing, erring int64
}

// MaxEncoded bounds an encoded state, in bytes.
const MaxEncoded = 32

// epoch makes 32 bits of seconds last until 2156.
var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

const (
	flagFlapping = 1 << 4
	flagWindow   = 1 << 5
)

// Status returns the status after flap damping.
func (s State) Status() Status { return s.status }

// Flapping reports whether flap damping holds the status at the worse one.
func (s State) Flapping() bool { return s.flapping }

// Streaks returns the slots of the first failed and of the first errored run of the current streaks, 0 without one.
func (s State) Streaks() (failing, erring int64) { return s.failing, s.erring }

// WithStreaks returns a decoded state with its streaks, as far as it has counted any.
func (s State) WithStreaks(failing, erring int64) State {
	if s.fails == 0 && s.recent[0]&1 == 0 {
		failing = 0
	}
	if s.errors == 0 {
		erring = 0
	}
	s.failing, s.erring = failing, erring
	return s
}

// Encode encodes the state without its streaks, in at most 32 bytes; the zero state in none.
func (s State) Encode() []byte {
	s.failing, s.erring = 0, 0
	if s == (State{}) {
		return []byte{}
	}
	b := make([]byte, 0, MaxEncoded)
	flags := byte(s.status) | byte(s.raw)<<2
	if s.flapping {
		flags |= flagFlapping
	}
	if s.window {
		flags |= flagWindow
	}
	b = append(b, flags, s.errors)
	if s.window {
		b = append(b, s.runs)
		for i := range (int(s.runs) + 7) / 8 {
			b = append(b, byte(s.recent[i/8]>>(8*(i%8))))
		}
	} else {
		b = append(b, s.fails, s.passes)
	}
	if s.flaps[0] == 0 {
		return b
	}
	b = binary.BigEndian.AppendUint32(b, s.flaps[0])
	for i := 1; i < len(s.flaps) && s.flaps[i] != 0; i++ {
		b = binary.BigEndian.AppendUint16(b, uint16(s.flaps[i-1]-s.flaps[i]))
	}
	return b
}

var errState = errors.New("decode health state: it is none")

// Decode decodes an encoded state.
func Decode(b []byte) (State, error) {
	if len(b) == 0 {
		return State{}, nil
	}
	if len(b) < 3 || len(b) > MaxEncoded || b[0]>>6 != 0 {
		return State{}, errState
	}
	s := State{
		status:   Status(b[0] & 3),
		raw:      Status(b[0] >> 2 & 3),
		flapping: b[0]&flagFlapping != 0,
		window:   b[0]&flagWindow != 0,
		errors:   b[1],
	}
	if s.errors > MaxStreak {
		return State{}, errState
	}
	rest := b[3:]
	if s.window {
		s.runs = b[2]
		n := (int(s.runs) + 7) / 8
		if s.runs > MaxWindow || len(rest) < n {
			return State{}, errState
		}
		for i := range n {
			s.recent[i/8] |= uint64(rest[i]) << (8 * (i % 8))
		}
		if s.recent != cut(s.recent, int(s.runs)) {
			return State{}, errState
		}
		rest = rest[n:]
	} else {
		if len(rest) < 1 || b[2] > MaxStreak || rest[0] > MaxStreak {
			return State{}, errState
		}
		s.fails, s.passes = b[2], rest[0]
		rest = rest[1:]
	}
	err := decodeFlaps(&s, rest)
	return s, err
}

func decodeFlaps(s *State, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if len(b) < 4 || len(b)%2 != 0 || (len(b)-4)/2 > MaxFlaps {
		return errState
	}
	s.flaps[0] = binary.BigEndian.Uint32(b)
	for i, rest := 1, b[4:]; len(rest) > 0; i, rest = i+1, rest[2:] {
		ago := uint32(binary.BigEndian.Uint16(rest))
		if ago >= s.flaps[i-1] {
			return errState
		}
		s.flaps[i] = s.flaps[i-1] - ago
	}
	if s.flaps[0] == 0 {
		return errState
	}
	return nil
}

// cut keeps the lowest n bits.
func cut(bits [2]uint64, n int) [2]uint64 {
	switch {
	case n <= 0:
		return [2]uint64{}
	case n < 64:
		return [2]uint64{bits[0] & (1<<n - 1)}
	case n < 128:
		return [2]uint64{bits[0], bits[1] & (1<<(n-64) - 1)}
	default:
		return bits
	}
}

// seconds converts a time to seconds of the epoch, at least 1.
func seconds(t time.Time) uint32 {
	return uint32(min(max(t.Unix()-epoch, 1), 1<<32-1))
}
