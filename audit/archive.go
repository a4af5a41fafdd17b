package audit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"countersign/audit/auditdb"
	"countersign/internal/problem"
)

// An archive holds the entries from the begin of the chain to a checkpoint: JSON lines, compressed by gzip. The first
// line is a header, the last one an end with a seal over all lines before it; each line between is an entry with its
// hash in the chain. An archive is therefore verified with the keyset alone, and its first and last hash join it to the
// archive before and to the log.

// archiveKind identifies an archive in its header.
const archiveKind = "countersign audit archive"

// maxArchiveLine bounds a line in bytes; entries are far shorter.
const maxArchiveLine = 8 << 20

// Archive describes an archive.
type Archive struct {
	// After is the last entry before the archive, To the checkpoint at its end.
	After   Head
	To      Checkpoint
	Entries int64
	// People reports whether the archive holds the personal data of entries.
	People bool
	Made   time.Time
	// Sum is the SHA-256 of the whole file.
	Sum []byte
}

type archiveHeader struct {
	Kind    string    `json:"kind"`
	Version int       `json:"version"`
	Made    time.Time `json:"made"`
	// AfterSeq and AfterHash are those of the entry before the first one; 0 and empty at the beginning of the log.
	AfterSeq   int64         `json:"afterSeq"`
	AfterHash  string        `json:"afterHash"`
	Checkpoint archivedPlace `json:"checkpoint"`
	People     bool          `json:"people"`
	KeyID      int32         `json:"keyId"`
}

type archivedPlace struct {
	Number   int64     `json:"number"`
	Seq      int64     `json:"seq"`
	Hash     string    `json:"hash"`
	NewestAt time.Time `json:"newestAt"`
	At       time.Time `json:"at"`
	Seal     string    `json:"seal"`
}

type archivedLine struct {
	Seq   int64          `json:"seq,omitempty"`
	Hash  string         `json:"hash,omitempty"`
	Entry *archivedEntry `json:"entry,omitempty"`
	// Salt and Data are the personal data of the entry.
	Salt []byte  `json:"salt,omitempty"`
	Data *string `json:"data,omitempty"`
	// Entries and Seal are set in the end line.
	Entries int64  `json:"entries,omitempty"`
	Seal    string `json:"seal,omitempty"`
}

// archivedEntry is an entry as an archive stores it. It has the columns of the table in their order, so that a new
// column cannot be forgotten here.
type archivedEntry struct {
	ID            int64      `json:"id"`
	Record        *int64     `json:"record,omitempty"`
	CallID        *uuid.UUID `json:"callId,omitempty"`
	At            time.Time  `json:"at"`
	Status        *string    `json:"status,omitempty"`
	PrincipalKind string     `json:"principalKind"`
	PrincipalID   uuid.UUID  `json:"principalId"`
	Transport     string     `json:"transport"`
	ToolName      *string    `json:"toolName,omitempty"`
	Effect        *string    `json:"effect,omitempty"`
	ArgsHash      *string    `json:"argsHash,omitempty"`
	ErrorCode     *string    `json:"errorCode,omitempty"`
	AppliedByKind *string    `json:"appliedByKind,omitempty"`
	AppliedByID   *uuid.UUID `json:"appliedById,omitempty"`
	TurnID        *uuid.UUID `json:"turnId,omitempty"`
	Step          *int16     `json:"step,omitempty"`
	Call          *int16     `json:"call,omitempty"`
	Version       int16      `json:"version"`
	Action        *string    `json:"action,omitempty"`
	ObjectType    *string    `json:"objectType,omitempty"`
	ObjectID      *string    `json:"objectId,omitempty"`
	ObjectName    *string    `json:"objectName,omitempty"`
	SubjectType   *string    `json:"subjectType,omitempty"`
	SubjectID     *string    `json:"subjectId,omitempty"`
	SubjectName   *string    `json:"subjectName,omitempty"`
	Summary       *string    `json:"summary,omitempty"`
	Fields        *string    `json:"fields,omitempty"`
	Operation     *string    `json:"operation,omitempty"`
	SessionID     *uuid.UUID `json:"sessionId,omitempty"`
	ProposalID    *uuid.UUID `json:"proposalId,omitempty"`
	PersonID      *uuid.UUID `json:"personId,omitempty"`
	PersonalHash  []byte     `json:"personalHash,omitempty"`
}

// sealOfArchive is the HMAC of a header and of the SHA-256 of the lines after it. The hashes of entries cover less:
// neither omitted personal data nor the spelling of a line.
func (c *Chain) sealOfArchive(header, lines []byte, entries int64) []byte {
	x := &encoder{}
	x.field("countersign audit archive 1")
	x.field(string(bytes.TrimSpace(header)))
	x.field(string(lines))
	x.number(entries)
	return c.sealOf(x)
}

// ArchivableBefore returns the archive of the entries before a time: up to the last checkpoint whose entries are all
// older.
func (c *Chain) ArchivableBefore(ctx context.Context, before time.Time) (Archive, error) {
	start, list, b, err := c.checkpoints(ctx)
	if err != nil {
		return Archive{}, fmt.Errorf("look for a checkpoint: %w", err)
	}
	if b != nil {
		return Archive{}, broken(b)
	}
	a := Archive{After: start.Head}
	for _, p := range list {
		if p.NewestAt.Before(before) && p.Seq > start.Seq {
			a.To = p
		}
	}
	if a.To.Number == 0 {
		return a, problem.Errorf(
			problem.Conflict,
			"No checkpoint of the audit log lies before %s that has not been archived and removed. A worker makes one at the end of each day.",
			before.UTC().Format(time.RFC3339),
		)
	}
	a.Entries = a.To.Seq - a.After.Seq
	return a, nil
}

// broken returns the error of a command that must stop because the log is broken.
func broken(b *Break) error {
	return problem.Errorf(problem.Conflict, "The audit log is broken %s. Nothing is archived or removed.", b)
}

// sound returns the error of a verification: a failure to verify, or the defect that it found.
func sound(b *Break, err error) error {
	if err == nil && b != nil {
		return broken(b)
	}
	return err
}

// WriteArchive writes the entries of an archive, each verified as it is read.
func (c *Chain) WriteArchive(ctx context.Context, a Archive, w io.Writer) error {
	now, err := auditdb.New(c.db.Conn(ctx)).Now(ctx)
	if err != nil {
		return fmt.Errorf("write audit archive: %w", err)
	}
	zipped := gzip.NewWriter(w)
	buffer := bufio.NewWriterSize(zipped, 1<<16)
	header, err := json.Marshal(archiveHeader{
		Kind:      archiveKind,
		Version:   1,
		Made:      now.UTC(),
		AfterSeq:  a.After.Seq,
		AfterHash: hex.EncodeToString(a.After.Hash),
		People:    a.People,
		KeyID:     c.keyID,
		Checkpoint: archivedPlace{
			Number:   a.To.Number,
			Seq:      a.To.Seq,
			Hash:     hex.EncodeToString(a.To.Hash),
			NewestAt: a.To.NewestAt.UTC(),
			At:       a.To.At.UTC(),
			Seal:     hex.EncodeToString(a.To.seal),
		},
	})
	if err != nil {
		return fmt.Errorf("write audit archive: %w", err)
	}
	if _, err := buffer.Write(append(header, '\n')); err != nil {
		return fmt.Errorf("write audit archive: %w", err)
	}
	written := sha256.New()
	lines := json.NewEncoder(io.MultiWriter(buffer, written))
	head := a.After
	for head.Seq < a.To.Seq {
		if head, err = c.writePart(ctx, lines, head, a); err != nil {
			return err
		}
	}
	if !bytes.Equal(head.Hash, a.To.Hash) {
		return broken(&Break{Seq: head.Seq, What: "the link is not the one of the checkpoint"})
	}
	err = lines.Encode(archivedLine{Entries: a.Entries, Seal: hex.EncodeToString(c.sealOfArchive(header, written.Sum(nil), a.Entries))})
	if err = errors.Join(err, buffer.Flush(), zipped.Close()); err != nil {
		return fmt.Errorf("write audit archive: %w", err)
	}
	return nil
}

// writePart writes one batch of entries after a head.
func (c *Chain) writePart(ctx context.Context, lines *json.Encoder, head Head, a Archive) (Head, error) {
	var part []auditdb.AiAuditEntry
	var heads []Head
	report, _, err := c.visitLinks(ctx, head, int(min(verifyBatch, a.To.Seq-head.Seq)), func(before Head, e auditdb.AiAuditEntry) {
		part, heads = append(part, e), append(heads, before)
	})
	if err != nil {
		return head, fmt.Errorf("read audit entries: %w", err)
	}
	if report.Break == nil && len(part) == 0 {
		report.Break = &Break{Seq: head.Seq + 1, What: "the link is missing"}
	}
	if report.Break != nil {
		return head, broken(report.Break)
	}
	apart := map[int64]auditdb.PersonalOfRow{}
	if a.People {
		entries := make(map[int64]auditdb.AiAuditEntry, len(part))
		for _, e := range part {
			entries[e.ID] = e
		}
		if apart, err = personalOf(ctx, auditdb.New(c.db.Conn(ctx)), entries); err != nil {
			return head, fmt.Errorf("read what audit entries say about people: %w", err)
		}
	}
	for i, e := range part {
		hash := report.Head.Hash
		if i+1 < len(part) {
			hash = heads[i+1].Hash
		}
		e.At = e.At.UTC()
		line := archivedLine{Seq: heads[i].Seq + 1, Hash: hex.EncodeToString(hash), Entry: new(archivedEntry(e))}
		if row, found := apart[e.ID]; found {
			line.Salt, line.Data = row.Salt, &row.Data
		}
		if err := lines.Encode(line); err != nil {
			return head, fmt.Errorf("write audit archive: %w", err)
		}
	}
	return report.Head, nil
}

// ReadArchive verifies an archive from beginning to end and describes its contents. A defect is a Break; a file that is
// no archive is an error. It needs no database.
func (c *Chain) ReadArchive(r io.Reader) (Archive, *Break, error) {
	sum := sha256.New()
	// A buffered reader keeps the decompressor from reading beyond its part.
	file := bufio.NewReaderSize(io.TeeReader(r, sum), 1<<16)
	zipped, err := gzip.NewReader(file)
	if err != nil {
		return Archive{}, nil, problem.Errorf(problem.Invalid, "The file is no archive of the audit log: it is not compressed by gzip.")
	}
	zipped.Multistream(false)
	lines := bufio.NewScanner(zipped)
	lines.Buffer(make([]byte, 0, 1<<16), maxArchiveLine)
	a, b, err := c.readLines(lines)
	if err == nil && b == nil {
		// Bytes behind the last line and behind the compressed part count too.
		if n, copyErr := io.Copy(io.Discard, file); copyErr != nil {
			return a, nil, fmt.Errorf("read audit archive: %w", copyErr)
		} else if n > 0 {
			b = &Break{Seq: a.To.Seq, What: "there is something behind the end of the archive"}
		}
	}
	a.Sum = sum.Sum(nil)
	return a, b, err
}

func (c *Chain) readLines(lines *bufio.Scanner) (Archive, *Break, error) {
	if !lines.Scan() {
		return Archive{}, truncated(lines, 0), nil
	}
	header := bytes.Clone(lines.Bytes())
	a, err := c.readHeader(header)
	if err != nil {
		return a, nil, err
	}
	head, read := a.After, sha256.New()
	for lines.Scan() {
		var line archivedLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return a, &Break{Seq: head.Seq + 1, What: "the line is not what an archive holds"}, nil //nolint:nilerr // it is what is found
		}
		if line.Entry == nil {
			sum := read.Sum(nil)
			seal, _ := hex.DecodeString(line.Seal)
			switch {
			case lines.Scan():
				return a, &Break{Seq: head.Seq, What: "there is something behind the end of the archive"}, nil
			case lines.Err() != nil:
				return a, truncated(lines, head.Seq), nil //nolint:nilerr // it is what is found
			case head.Seq != a.To.Seq || line.Entries != a.To.Seq-a.After.Seq:
				return a, &Break{Seq: head.Seq + 1, What: fmt.Sprintf("the archive ends, though it goes to %d", a.To.Seq)}, nil
			case !bytes.Equal(head.Hash, a.To.Hash):
				return a, &Break{Seq: head.Seq, What: "the hash is not that of the checkpoint"}, nil
			case !hmac.Equal(seal, c.sealOfArchive(header, sum, line.Entries)):
				return a, &Break{Seq: 0, What: "the seal does not fit the lines of the archive: one was changed"}, nil
			}
			a.Entries = line.Entries
			return a, nil, nil
		}
		// The scanner strips line ends, which the seal does not cover.
		read.Write(lines.Bytes())
		read.Write([]byte{'\n'})
		hash, _ := hex.DecodeString(line.Hash)
		e := auditdb.AiAuditEntry(*line.Entry)
		what := c.check(
			head,
			auditdb.AiAuditLink{Seq: line.Seq, EntryID: e.ID, KeyID: c.keyID, Hash: hash},
			map[int64]auditdb.AiAuditEntry{e.ID: e},
		)
		if what == "" && line.Data != nil {
			what = checkPersonal(e, map[int64]auditdb.PersonalOfRow{e.ID: {EntryID: e.ID, Salt: line.Salt, Data: *line.Data}}, nil)
		}
		if what != "" {
			return a, &Break{Seq: head.Seq + 1, What: what}, nil
		}
		head = Head{Seq: line.Seq, Hash: hash}
	}
	return a, truncated(lines, head.Seq+1), nil
}

func truncated(lines *bufio.Scanner, seq int64) *Break {
	if err := lines.Err(); err != nil {
		return &Break{Seq: seq, What: "the archive is cut off or damaged: " + err.Error()}
	}
	return &Break{Seq: seq, What: "the archive is cut off"}
}

func (c *Chain) readHeader(text []byte) (Archive, error) {
	var h archiveHeader
	err := json.Unmarshal(text, &h)
	after, afterErr := hex.DecodeString(h.AfterHash)
	hash, hashErr := hex.DecodeString(h.Checkpoint.Hash)
	seal, sealErr := hex.DecodeString(h.Checkpoint.Seal)
	switch {
	case errors.Join(err, afterErr, hashErr, sealErr) != nil || h.Kind != archiveKind:
		return Archive{}, problem.Errorf(problem.Invalid, "The file is no archive of the audit log.")
	case h.Version != 1:
		return Archive{}, problem.Errorf(problem.Invalid, "The archive has the form %d, and this version of the product reads form 1.", h.Version)
	case h.KeyID != c.keyID:
		return Archive{}, problem.Errorf(
			problem.Invalid,
			"The archive was made with another keyset. Verify it with the keyset of the installation that it comes from.",
		)
	}
	return Archive{
		After:  Head{Seq: h.AfterSeq, Hash: after},
		People: h.People,
		Made:   h.Made,
		To: Checkpoint{
			Number:   h.Checkpoint.Number,
			Head:     Head{Seq: h.Checkpoint.Seq, Hash: hash},
			NewestAt: h.Checkpoint.NewestAt,
			At:       h.Checkpoint.At,
			seal:     seal,
		},
	}, nil
}

// Joins returns the defect between an archive and the log; nil when the log continues where the archive ends, or still
// holds that place.
func (c *Chain) Joins(ctx context.Context, a Archive) (*Break, error) {
	_, list, b, err := c.checkpoints(ctx)
	if err != nil || b != nil {
		return b, err
	}
	// The seal of a checkpoint covers the hash of its place, and so all entries before it.
	for _, p := range list {
		if p.Number == a.To.Number {
			if p.Seq == a.To.Seq && hmac.Equal(p.seal, a.To.seal) {
				return nil, nil
			}
			return &Break{Seq: p.Seq, What: fmt.Sprintf("checkpoint %d of the log is not the one that the archive ends with", p.Number)}, nil
		}
	}
	return &Break{Seq: a.To.Seq, What: fmt.Sprintf("the log has no checkpoint %d, with which the archive ends", a.To.Number)}, nil
}
