// Package audit makes the record of tool calls tamper-evident and tells others about it.
//
// Package budget writes one row for each call, and that row changes its status. A trigger of the database copies every
// such change into an append-only table, in the transaction of the change, so nothing can be forgotten. The processes'
// own database role can neither write nor change nor delete there. A Chain gives each entry its place: a gapless number
// and an HMAC over the entry and the hash before it, with a key that is not in the database. Whoever changes, removes,
// adds or reorders entries or links breaks the chain, and Verify says where. Only cutting off the end, with the calls
// that belong to it, leaves a sound chain; a head that is kept elsewhere shows it.
//
// Subscribers hear about calls in the order of the chain, at least once, and get metadata only: the event ai.toolCalled.
package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/tool/audit/auditdb"
)

// Read is the access rule for the calls of everybody; everybody sees their own.
const Read = "ai.audit.read"

// Rules are the access rules of this package.
func (*Log) Rules() []principal.Rule {
	return []principal.Rule{{ID: Read, Description: "See, filter and export the audit log of everybody's tool calls"}}
}

const hashBytes = sha256.Size

// Chain is the audit log of one database with the key of its hashes.
type Chain struct {
	db    *store.DB
	key   []byte
	keyID int32
}

// NewChain makes the chain of a database. The key has to be the same for ever.
func NewChain(db *store.DB, key []byte) *Chain {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("key id"))
	return &Chain{db: db, key: key, keyID: int32(binary.BigEndian.Uint32(mac.Sum(nil)))}
}

// Head is the end of a chain: how many entries it has, and the hash of the last one.
type Head struct {
	Seq  int64
	Hash []byte
}

// String is "seq:hash" in decimal and hex, the form that ParseHead reads.
func (h Head) String() string { return strconv.FormatInt(h.Seq, 10) + ":" + hex.EncodeToString(h.Hash) }

// ParseHead reads a head as String writes it.
func ParseHead(text string) (Head, error) {
	number, hash, _ := strings.Cut(text, ":")
	seq, err := strconv.ParseInt(number, 10, 64)
	sum, hexErr := hex.DecodeString(hash)
	if err != nil || hexErr != nil || seq < 1 || len(sum) != hashBytes {
		return Head{}, problem.InvalidInput("A head looks like 42:<64 hex digits>, as the verification prints it.",
			problem.Issue{Path: "head", Message: "is not seq:hash"})
	}
	return Head{Seq: seq, Hash: sum}, nil
}

// next is the hash of an entry that follows the given one.
func (c *Chain) next(previous []byte, e auditdb.AiAuditEntry) []byte {
	mac := hmac.New(sha256.New, c.key)
	_, _ = mac.Write(previous)
	_, _ = mac.Write(encode(e))
	return mac.Sum(nil)
}

// encode writes every field of an entry in one way. Each has its length before it, so that no two entries are alike.
func encode(e auditdb.AiAuditEntry) []byte {
	b := make([]byte, 0, 512)
	field := func(value string) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
		b = append(b, value...)
	}
	optional := func(present bool, value string) {
		if !present {
			b = binary.BigEndian.AppendUint32(b, 1<<32-1)
			return
		}
		field(value)
	}
	field("countersign audit entry 1")
	field(strconv.FormatInt(e.ID, 10))
	field(strconv.FormatInt(e.Record, 10))
	field(e.CallID.String())
	field(strconv.FormatInt(e.At.UnixMicro(), 10))
	field(e.Status)
	field(e.PrincipalKind)
	field(e.PrincipalID.String())
	field(e.Transport)
	field(e.ToolName)
	field(e.Effect)
	field(e.ArgsHash)
	optional(e.ErrorCode != nil, valueOf(e.ErrorCode))
	optional(e.AppliedByKind != nil, valueOf(e.AppliedByKind))
	optional(e.AppliedByID != nil, valueOf(e.AppliedByID).String())
	optional(e.TurnID != nil, valueOf(e.TurnID).String())
	optional(e.Step != nil, strconv.Itoa(int(valueOf(e.Step))))
	optional(e.Call != nil, strconv.Itoa(int(valueOf(e.Call))))
	return b
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Event is ai.toolCalled: that a tool was called, or that a proposed call was decided, and never with what arguments or
// result.
type Event struct {
	// Seq is the place in the chain; it tells repeats of an event apart from new ones.
	Seq           int64     `json:"seq"`
	ID            uuid.UUID `json:"id"`
	At            time.Time `json:"at"`
	PrincipalKind string    `json:"principalKind"`
	PrincipalID   uuid.UUID `json:"principalId"`
	Transport     string    `json:"transport"`
	ToolName      string    `json:"toolName"`
	Effect        string    `json:"effect"`
	// Status is how the call ended: executed, failed, refused or proposed; for a proposal later applied, failed,
	// declined, expired or skipped.
	Status string `json:"status"`
}

// settled tells the statuses that make an event from those that a call only passes through.
func settled(status string) bool { return status != "running" && status != "applying" }

// Break is the first thing that is wrong with a chain.
type Break struct {
	// Seq is the place in the chain, 0 when it is outside of it.
	Seq  int64
	What string
}

func (b Break) String() string {
	if b.Seq == 0 {
		return b.What
	}
	return fmt.Sprintf("at %d: %s", b.Seq, b.What)
}
