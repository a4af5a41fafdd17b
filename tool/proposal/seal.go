package proposal

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/proposal/proposaldb"
)

// Seals computes and verifies the HMAC of a proposal, which is stored with the row: an attacker with write access to
// the database but without the server key cannot make the product apply anything but what was proposed, shown and
// decided.
type Seals struct{ key []byte }

// NewSeals takes a key that every process of the product shares.
func NewSeals(key []byte) Seals { return Seals{key: key} }

// sealed is everything that a decision is about, and the decider. Members are never renamed or removed; a new one is
// omitted when empty, so that older seals fit.
type sealed struct {
	Version       int             `json:"version"`
	ID            uuid.UUID       `json:"id"`
	Conversation  *uuid.UUID      `json:"conversation,omitempty"`
	Turn          *uuid.UUID      `json:"turn,omitempty"`
	ProposerKind  string          `json:"proposerKind"`
	Proposer      uuid.UUID       `json:"proposer"`
	ProposerName  string          `json:"proposerName"`
	Tool          string          `json:"tool"`
	Effect        string          `json:"effect"`
	Summary       string          `json:"summary"`
	Payload       json.RawMessage `json:"payload"`
	Diff          json.RawMessage `json:"diff,omitempty"`
	Labels        json.RawMessage `json:"labels,omitempty"`
	Revision      string          `json:"revision"`
	WhyConfirm    *string         `json:"whyConfirm,omitempty"`
	Effects       []string        `json:"effects,omitempty"`
	Reason        string          `json:"reason,omitempty"`
	Issuer        *uuid.UUID      `json:"issuer,omitempty"`
	WhyEffect     *string         `json:"whyEffect,omitempty"`
	Outside       json.RawMessage `json:"outside,omitempty"`
	Automatic     bool            `json:"automatic"`
	TwoPerson     bool            `json:"twoPerson"`
	Planned       bool            `json:"planned,omitempty"`
	DeciderKind   *string         `json:"deciderKind,omitempty"`
	Decider       *uuid.UUID      `json:"decider,omitempty"`
	DeciderName   *string         `json:"deciderName,omitempty"`
	DeciderSignIn *uuid.UUID      `json:"deciderSignIn,omitempty"`
	Decision      string          `json:"decision,omitempty"`
	Asked         string          `json:"asked,omitempty"`
	Answered      string          `json:"answered,omitempty"`
	// Run is that of the proposer, and Author wrote its definition.
	Run    *uuid.UUID `json:"run,omitempty"`
	Author *uuid.UUID `json:"author,omitempty"`
	// Before is omitted where it has a seal of its own, see kept.
	Before json.RawMessage `json:"before,omitempty"`
}

// sealedRecord is the stored form of the record that a deletion keeps. It has a seal of its own: processes of the previous
// version, which do not know it, verify the seal of the same proposal during an upgrade, and make a new one with their
// decision.
type sealedRecord struct {
	Before json.RawMessage `json:"before"`
	Seal   []byte          `json:"seal"`
}

// sealRecord encodes the kept record; nil for nothing.
func (s Seals) sealRecord(id uuid.UUID, before json.RawMessage) (json.RawMessage, error) {
	if len(before) == 0 {
		return nil, nil
	}
	seal, err := s.recordSum(id, before)
	if err != nil {
		return nil, err
	}
	return json.Marshal(sealedRecord{before, seal})
}

// recordSum returns the seal of a kept record, bound to the proposal.
func (s Seals) recordSum(id uuid.UUID, before json.RawMessage) ([]byte, error) {
	return s.sum(struct {
		Keeps  uuid.UUID       `json:"keeps"`
		Before json.RawMessage `json:"before"`
	}{id, before})
}

// parseSealedRecord decodes the kept record of a row; apart reports a seal of its own.
func parseSealedRecord(p proposaldb.AiProposal) (k sealedRecord, apart bool) {
	decoder := json.NewDecoder(bytes.NewReader(p.Before))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&k); err != nil || len(k.Seal) == 0 {
		return sealedRecord{Before: p.Before}, false
	}
	return k, true
}

// of returns the seal of a row, stored or about to be.
func (s Seals) of(p proposaldb.AiProposal) ([]byte, error) {
	before := p.Before
	if _, apart := parseSealedRecord(p); apart {
		before = nil
	}
	return s.sum(sealed{
		Version: 1, ID: p.ID, Conversation: p.ConversationID, Turn: p.TurnID, ProposerKind: p.PrincipalKind, Proposer: p.PrincipalID,
		ProposerName: p.PrincipalName, Tool: p.ToolName, Effect: p.Effect, Summary: p.Summary, Payload: p.Payload, Diff: p.Diff, Labels: p.Labels,
		Revision: p.Revision, WhyConfirm: p.WhyConfirm, Effects: p.Effects, Reason: p.Reason, Issuer: p.IssuerID,
		WhyEffect: p.WhyEffect, Outside: p.Outside, Automatic: p.Automatic, TwoPerson: p.TwoPerson, Planned: p.Planned,
		DeciderKind: p.DecidedByKind, Decider: p.DecidedByID, DeciderName: p.DecidedByName, DeciderSignIn: p.DecidedSessionID,
		Decision: p.DecisionReason, Asked: p.Asked, Answered: p.Answered, Run: p.RunID, Author: p.AuthorID,
		Before: before,
	})
}

func (s Seals) sum(v any) ([]byte, error) {
	text, err := tool.Canonical(v)
	if err != nil {
		return nil, fmt.Errorf("seal proposal: %w", err)
	}
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write(text)
	return mac.Sum(nil), nil
}

// fits verifies the seal in constant time.
func (s Seals) fits(p proposaldb.AiProposal) bool {
	seal, err := s.of(p)
	if err != nil || !hmac.Equal(seal, p.Seal) {
		return false
	}
	k, apart := parseSealedRecord(p)
	if !apart {
		return true
	}
	seal, err = s.recordSum(p.ID, k.Before)
	return err == nil && hmac.Equal(seal, k.Seal)
}

// decided returns a row with the decision of p and its new seal. The row must have been verified.
func (s Seals) decided(
	row proposaldb.AiProposal,
	p principal.Principal,
	reason string,
	twoPerson, planned bool,
) (proposaldb.AiProposal, error) {
	row.DecidedByKind, row.DecidedByID, row.DecidedByName, row.DecidedSessionID = store.TextOrNull(
		string(p.Kind),
	), &p.ID, &p.Name, &p.SessionID
	row.DecisionReason, row.TwoPerson, row.Planned = reason, row.TwoPerson || twoPerson, planned
	var err error
	row.Seal, err = s.of(row)
	return row, err
}

// verifySeal refuses a proposal whose row fails its seal.
func (s *Service) verifySeal(p proposaldb.AiProposal) error {
	if s.Seals.fits(p) {
		return nil
	}
	s.Log.Error("Proposal was altered in the database, or made by an earlier version; it is not applied", "proposal", p.ID, "tool", p.ToolName)
	return errAltered()
}

func errAltered() error {
	return problem.Errorf(
		problem.Conflict,
		"What is stored of this proposal is not what was proposed, so it cannot be applied. Ask for the change again, and "+
			"tell an administrator: the database may have been altered.",
	)
}
