package demo

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"countersign/model"
)

// FaultKind names a fault of a model request.
type FaultKind string

// Faults and their effect on the wire.
const (
	FaultRateLimited  FaultKind = "429"             // with a Retry-After header
	FaultServerError  FaultKind = "500"             // a JSON error
	FaultUnavailable  FaultKind = "503"             // a JSON error
	FaultHTML         FaultKind = "html"            // a proxy's error page, 502
	FaultInvalidKey   FaultKind = "invalid_key"     // 401
	FaultContext      FaultKind = "context_length"  // 400
	FaultRefused      FaultKind = "content_refused" // 400, content filter
	FaultModelMissing FaultKind = "model_not_found" // 404
	FaultJSONError    FaultKind = "json_error"      // an error object with status 200
	FaultHang         FaultKind = "hang"            // no response until the client leaves
	FaultStall        FaultKind = "stall"           // silent after some of the answer
	FaultCut          FaultKind = "cut"             // ends in the middle, cleanly
	FaultReset        FaultKind = "reset"           // the connection breaks in the middle
	FaultStreamError  FaultKind = "stream_error"    // an error event in the middle
	FaultFilter       FaultKind = "content_filter"  // the answer is stopped
	FaultEmpty        FaultKind = "empty"           // an answer without content
	FaultMalformed    FaultKind = "malformed_args"  // tool arguments that are not JSON
	FaultUnknownTool  FaultKind = "unknown_tool"    // a tool that was not offered
	FaultDuplicateIDs FaultKind = "duplicate_ids"   // all calls have one id
	FaultMissingIDs   FaultKind = "missing_ids"     // calls have no id
	FaultNoIndex      FaultKind = "no_index"        // call deltas have no index
	FaultObjectArgs   FaultKind = "object_args"     // arguments are an object
	FaultNoDone       FaultKind = "no_done"         // no end marker
	FaultNoUsage      FaultKind = "no_usage"        // usage is not reported
)

var faultKinds = map[FaultKind]struct{}{
	FaultRateLimited: {}, FaultServerError: {}, FaultUnavailable: {}, FaultHTML: {}, FaultInvalidKey: {},
	FaultContext: {}, FaultRefused: {}, FaultModelMissing: {}, FaultJSONError: {}, FaultHang: {}, FaultStall: {},
	FaultCut: {}, FaultReset: {}, FaultStreamError: {}, FaultFilter: {}, FaultEmpty: {}, FaultMalformed: {},
	FaultUnknownTool: {}, FaultDuplicateIDs: {}, FaultMissingIDs: {}, FaultNoIndex: {}, FaultObjectArgs: {},
	FaultNoDone: {}, FaultNoUsage: {},
}

// FaultKinds lists all faults. One more, "never_ends", is an alias of the
// directive.
func FaultKinds() []FaultKind {
	kinds := make([]FaultKind, 0, len(faultKinds))
	for kind := range faultKinds {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

const (
	ledgerSize = 10_000
	ledgerTime = 10 * time.Minute
)

// ledger counts the occurrences of each fault, so that a retry can succeed.
type ledger struct {
	mu    sync.Mutex
	seed  maphash.Seed
	clock func() time.Time
	seen  map[uint64]occurrence
}

type occurrence struct {
	times   int
	expires time.Time
}

func newLedger(clock func() time.Time) *ledger {
	return &ledger{seed: maphash.MakeSeed(), clock: clock, seen: map[uint64]occurrence{}}
}

// take reports whether the fault happens now, and counts it.
func (l *ledger) take(req model.Request, index, round int, fault Fault) bool {
	if fault.Round != 0 && fault.Round != round {
		return false
	}
	if fault.Times == 0 {
		return true
	}
	key := l.key(req, index, round)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	o, known := l.seen[key]
	if !known || now.After(o.expires) {
		l.makeRoom(now)
		o = occurrence{expires: now.Add(ledgerTime)}
	}
	if o.times >= fault.Times {
		return false
	}
	o.times++
	l.seen[key] = o
	return true
}

// key identifies a model request of a turn. System messages are left out, as
// they may hold the time.
func (l *ledger) key(req model.Request, index, round int) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	encoder := json.NewEncoder(&h)
	_ = encoder.Encode([]any{req.User, index, round})
	for _, m := range req.Messages[:lastUser(req.Messages)+1] {
		if m.Role != model.RoleSystem {
			_ = encoder.Encode(m)
		}
	}
	return h.Sum64()
}

// makeRoom evicts expired entries, and any others when that is not enough.
func (l *ledger) makeRoom(now time.Time) {
	if len(l.seen) < ledgerSize {
		return
	}
	for key, o := range l.seen {
		if now.After(o.expires) {
			delete(l.seen, key)
		}
	}
	for key := range l.seen {
		if len(l.seen) < ledgerSize {
			return
		}
		delete(l.seen, key)
	}
}
