// Package audit keeps the tamper-evident record of what was done: every tool call, every change by anybody, every sign-in.
//
// Package budget writes one row for each call (but for those that it refuses again and again, see Folded), and that row
// changes its status. A trigger of the database copies every such change into an append-only table, in the transaction
// of the change, so nothing can be forgotten. Services add their changes by Record, in the transaction of the change
// too: neither is there without the other. The processes' own database role can neither change nor delete there, and
// adds in these two ways only. A Chain gives each entry its place: a gapless number and an HMAC over the entry and the
// hash before it, with a key that is not in the database. Changing, removing, adding or reordering entries or links
// breaks the chain, and Verify reports where. Only cutting off the end, with the calls that belong to it, leaves a sound
// chain; a head that is kept elsewhere shows it.
//
// Old entries are removed up to a Checkpoint, by an operator with a shell. The new
// begin of the chain is sealed.
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

	"countersign/audit/auditdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Read is the access rule for the calls of all principals; each principal sees its own.
const Read = "ai.audit.read"

// Rules are the access rules of this package.
func (*Log) Rules() []principal.Rule {
	return []principal.Rule{{ID: Read, Description: "See, filter and export the audit log of everybody's tool calls, changes and sign-ins"}}
}

const hashBytes = sha256.Size

// Chain is the hash chain of one database's audit log, with its HMAC key.
type Chain struct {
	db    *store.DB
	key   []byte
	keyID int32
	// sealKey is the key for seals of checkpoints and the removal record.
	sealKey []byte
}

// NewChain makes the chain of a database. The key must never change.
func NewChain(db *store.DB, key []byte) *Chain {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("key id"))
	seals := hmac.New(sha256.New, key)
	_, _ = seals.Write([]byte("key of seals"))
	return &Chain{db: db, key: key, keyID: int32(binary.BigEndian.Uint32(mac.Sum(nil))), sealKey: seals.Sum(nil)}
}

// Head is the end of a chain: the number of its entries and the hash of the last one.
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

// next returns the hash of an entry that follows the given hash.
func (c *Chain) next(previous []byte, e auditdb.AiAuditEntry) []byte {
	mac := hmac.New(sha256.New, c.key)
	_, _ = mac.Write(previous)
	_, _ = mac.Write(encode(e))
	return mac.Sum(nil)
}

// The forms of entries: calls and changes.
const (
	callForm   = 1
	changeForm = 2
)

// encoder encodes fields with their length as prefix, so that no two entries have equal bytes.
type encoder struct{ b []byte }

func (x *encoder) field(value string) {
	x.b = binary.BigEndian.AppendUint32(x.b, uint32(len(value)))
	x.b = append(x.b, value...)
}

func (x *encoder) optional(present bool, value string) {
	if !present {
		x.b = binary.BigEndian.AppendUint32(x.b, 1<<32-1)
		return
	}
	x.field(value)
}

func (x *encoder) text(value *string) { x.optional(value != nil, store.Value(value)) }

func (x *encoder) id(value *uuid.UUID) { x.optional(value != nil, store.Value(value).String()) }

// encode writes every field of an entry, in its form.
func encode(e auditdb.AiAuditEntry) []byte {
	x := &encoder{make([]byte, 0, 512)}
	if e.Version == changeForm {
		encodeChange(x, e)
	} else {
		encodeCall(x, e)
	}
	return x.b
}

func encodeCall(x *encoder, e auditdb.AiAuditEntry) {
	x.field("countersign audit entry 1")
	x.field(strconv.FormatInt(e.ID, 10))
	x.field(strconv.FormatInt(store.Value(e.Record), 10))
	x.field(store.Value(e.CallID).String())
	x.field(strconv.FormatInt(e.At.UnixMicro(), 10))
	x.field(store.Value(e.Status))
	x.field(e.PrincipalKind)
	x.field(e.PrincipalID.String())
	x.field(e.Transport)
	x.field(store.Value(e.ToolName))
	x.field(store.Value(e.Effect))
	x.field(store.Value(e.ArgsHash))
	x.text(e.ErrorCode)
	x.text(e.AppliedByKind)
	x.id(e.AppliedByID)
	x.id(e.TurnID)
	x.optional(e.Step != nil, strconv.Itoa(int(store.Value(e.Step))))
	x.optional(e.Call != nil, strconv.Itoa(int(store.Value(e.Call))))
}

func encodeChange(x *encoder, e auditdb.AiAuditEntry) {
	x.field("countersign audit entry 2")
	x.field(strconv.FormatInt(e.ID, 10))
	x.field(strconv.FormatInt(e.At.UnixMicro(), 10))
	x.field(e.PrincipalKind)
	x.field(e.PrincipalID.String())
	x.field(e.Transport)
	for _, value := range []*string{
		e.Action, e.ObjectType, e.ObjectID, e.ObjectName, e.SubjectType, e.SubjectID, e.SubjectName, e.Summary, e.Fields, e.Operation,
	} {
		x.text(value)
	}
	x.text(e.AppliedByKind)
	for _, id := range []*uuid.UUID{e.AppliedByID, e.TurnID, e.SessionID, e.ProposalID, e.PersonID} {
		x.id(id)
	}
	x.optional(e.PersonalHash != nil, string(e.PersonalHash))
}

// misplaced reports whether an entry has a field that its form lacks, which its hash would not cover.
func misplaced(e auditdb.AiAuditEntry) bool {
	ofCalls := e.Record != nil || e.CallID != nil || e.Status != nil || e.ToolName != nil || e.Effect != nil || e.ArgsHash != nil ||
		e.ErrorCode != nil || e.Step != nil || e.Call != nil
	ofChanges := e.Action != nil || e.ObjectType != nil || e.ObjectID != nil || e.ObjectName != nil || e.SubjectType != nil ||
		e.SubjectID != nil || e.SubjectName != nil || e.Summary != nil || e.Fields != nil || e.Operation != nil || e.SessionID != nil ||
		e.ProposalID != nil || e.PersonID != nil || e.PersonalHash != nil
	switch e.Version {
	case callForm:
		return ofChanges
	case changeForm:
		return ofCalls
	}
	return true
}

// about describes an entry in the report of a defect.
func about(e auditdb.AiAuditEntry) string {
	if e.Version == changeForm {
		return fmt.Sprintf("%s %s, %s", store.Value(e.ObjectType), store.Value(e.ObjectID), store.Value(e.Action))
	}
	return fmt.Sprintf("call %s, %s, %s", store.Value(e.CallID), store.Value(e.ToolName), store.Value(e.Status))
}

// ToolCalled is the event ai.toolCalled: a tool call, or the decision about a proposed call, without arguments and
// result.
type ToolCalled struct {
	// Seq is the place in the chain; it tells repeats of an event apart from new ones.
	Seq           int64     `json:"seq"`
	ID            uuid.UUID `json:"id"`
	At            time.Time `json:"at"`
	PrincipalKind string    `json:"principalKind"`
	PrincipalID   uuid.UUID `json:"principalId"`
	Transport     string    `json:"transport"`
	ToolName      string    `json:"toolName"`
	Effect        string    `json:"effect"`
	// Status is the outcome of the call: executed, failed, refused or proposed; for a proposal later applied, failed,
	// declined, expired or skipped.
	Status string `json:"status"`
	// Count is 1, or the number of refused calls that one entry aggregates. For these, ID is the call before them,
	// which has an event of its own, and ToolName is empty when they are of several tools.
	Count int64 `json:"count"`
}

// settled reports whether a status makes an event; the others are transient.
func settled(status string) bool { return status != "running" && status != "applying" }

// Break is the first defect of a chain.
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
