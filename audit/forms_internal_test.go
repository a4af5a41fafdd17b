package audit

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit/auditdb"
)

// A chain is verified by every version that comes after the one that wrote it, and beside it by the one before: what is hashed of an entry
// never changes. A new form gets another number.
func TestWhatIsHashedOfAnEntryNeverChanges(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("0199aa00-0000-7000-8000-000000000001")
	at := time.Date(2026, 11, 23, 10, 20, 30, 123456000, time.UTC)
	call := auditdb.AiAuditEntry{
		ID:            7,
		Version:       callForm,
		Record:        new(int64(3)),
		CallID:        &id,
		At:            at,
		Status:        new("refused"),
		PrincipalKind: "user",
		PrincipalID:   id,
		Transport:     "api",
		ToolName: new(
			"ai.getDoc",
		),
		Effect:    new("read"),
		ArgsHash:  new("ab"),
		ErrorCode: new("budget"),
		TurnID:    &id,
		Step:      new(int16(1)),
		Call:      new(int16(2)),
	}
	change := auditdb.AiAuditEntry{
		ID:            8,
		Version:       changeForm,
		At:            at,
		PrincipalKind: "user",
		PrincipalID:   id,
		Transport:     "page",
		Action:        new("changed"),
		ObjectType:    new("catalog.system"),
		ObjectID: new(
			"1",
		),
		ObjectName:  new("One"),
		SubjectType: new("auth.team"),
		SubjectID:   new("2"),
		SubjectName: new("Two"),
		Summary:     new("Changed"),
		Fields: new(
			"[]",
		),
		Operation:     new("update-system"),
		AppliedByKind: new("user"),
		AppliedByID:   &id,
		SessionID:     &id,
		ProposalID:    &id,
		PersonalHash:  []byte{1, 2},
	}
	chain := NewChain(nil, []byte("a key of tests"))
	first := chain.next(nil, call)
	require.Equal(
		t,
		"f84b9065b662479c592300fd2a054a1b525411b340fcae5041edfab58f8996e4 e5bb6e248353eae07d98fdf8f073a84888b75343abb2d629a98d31397bc4fd02",
		hex.EncodeToString(first)+" "+hex.EncodeToString(chain.next(first, change)),
	)
}
