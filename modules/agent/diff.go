package agent

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/agent/agentdb"
)

// Manifest lists the files of a bundle.
func (s *service) Manifest(ctx context.Context, agent, rev string) (Manifest, error) {
	c, err := s.readBundle(ctx, agent, rev)
	if err != nil {
		return Manifest{}, err
	}
	files, err := c.files()
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{
		RevisionID:   c.id,
		State:        c.state,
		BundleSHA256: hash(files),
		Files:        make([]File, len(files)),
		Revised:      rest.Revised{Revision: c.revision},
	}
	for i, f := range files {
		m.Files[i] = File{Path: f.path, Size: len(f.data), SHA256: sha(f.data)}
	}
	if c.sha256 != "" {
		m.BundleSHA256 = c.sha256
	}
	return m, nil
}

// Side is one of the two revisions of a Diff.
type Side struct {
	ID     uuid.UUID `json:"id"`
	Number int       `json:"number"`
	State  State     `json:"state" enum:"draft,ready,live,archived"`
}

// FileDiff is a file that differs. Before and After are its texts; both are absent for generated files and where
// Truncated reports that the text is too large.
type FileDiff struct {
	Path      string  `json:"path"`
	Status    string  `json:"status" enum:"added,removed,changed"`
	Generated bool    `json:"generated" doc:"It follows from other files."`
	Truncated bool    `json:"truncated" doc:"It is too large to be shown."`
	Before    *string `json:"before,omitempty"`
	After     *string `json:"after,omitempty"`
}

// Diff lists the differences of two bundles. From is absent without a revision to compare with.
type Diff struct {
	From  *Side      `json:"from,omitempty"`
	To    Side       `json:"to"`
	Files []FileDiff `json:"files" nullable:"false"`
}

// Size limits of a Diff per file and in total, in bytes.
const (
	maxFileDiff = 256 << 10
	maxDiff     = 2 << 20
)

// Diff compares the bundle of a revision with another one of the same agent. against names it; "" means its clone
// source if that is of the same agent, else the revision before it.
func (s *service) Diff(ctx context.Context, agent, rev, against string) (Diff, error) {
	row, err := s.findAgent(ctx, agent)
	if err != nil {
		return Diff{}, err
	}
	head, err := s.revision(ctx, row.ID, rev)
	if err != nil {
		return Diff{}, err
	}
	after, err := s.load(ctx, head.ID)
	if err != nil {
		return Diff{}, err
	}
	before, err := s.comparedBundle(ctx, row.ID, head, against)
	if err != nil {
		return Diff{}, err
	}
	out := Diff{To: after.side(), Files: []FileDiff{}}
	var old []file
	if before != nil {
		out.From = new(before.side())
		if old, err = before.files(); err != nil {
			return Diff{}, err
		}
	}
	files, err := after.files()
	if err != nil {
		return Diff{}, err
	}
	out.Files = append(out.Files, diffFiles(old, files)...)
	return out, nil
}

func (c content) side() Side { return Side{c.id, c.number, c.state} }

// comparedBundle loads the bundle to compare with, nil for none.
func (s *service) comparedBundle(ctx context.Context, agent uuid.UUID, head agentdb.RevisionHeadRow, against string) (*content, error) {
	if against != "" {
		found, err := s.revision(ctx, agent, against)
		if err != nil {
			return nil, err
		}
		c, err := s.load(ctx, found.ID)
		return &c, err
	}
	q := s.queries(ctx)
	if head.ClonedFrom != nil {
		found, err := q.RevisionHead(ctx, agentdb.RevisionHeadParams{AgentID: agent, ID: head.ClonedFrom})
		if err == nil {
			c, err := s.load(ctx, found.ID)
			return &c, err
		}
		if !store.NoRows(err) {
			return nil, fmt.Errorf("find a revision: %w", err)
		}
	}
	rows, err := q.Revisions(ctx, agentdb.RevisionsParams{AgentID: agent, Before: head.Number, MaxRows: 1})
	if err != nil {
		return nil, fmt.Errorf("find the revision before: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil //nolint:nilnil // the first revision is compared with nothing
	}
	c, err := s.load(ctx, rows[0].ID)
	return &c, err
}

// diffFiles lists the files that differ, by path.
func diffFiles(before, after []file) []FileDiff {
	byPath := func(list []file, path string) (file, bool) {
		i, found := slices.BinarySearchFunc(list, path, func(f file, path string) int { return strings.Compare(f.path, path) })
		if !found {
			return file{}, false
		}
		return list[i], true
	}
	paths := make([]string, 0, len(before)+len(after))
	for _, f := range slices.Concat(before, after) {
		paths = append(paths, f.path)
	}
	slices.Sort(paths)
	var out []FileDiff
	shown := 0
	for _, path := range slices.Compact(paths) {
		old, was := byPath(before, path)
		now, is := byPath(after, path)
		if was && is && bytes.Equal(old.data, now.data) {
			continue
		}
		d := FileDiff{Path: path, Status: "changed", Generated: old.generated || now.generated}
		switch {
		case !was:
			d.Status = "added"
		case !is:
			d.Status = "removed"
		}
		size := len(old.data) + len(now.data)
		d.Truncated = !d.Generated && (len(old.data) > maxFileDiff || len(now.data) > maxFileDiff || shown+size > maxDiff)
		if !d.Generated && !d.Truncated {
			shown += size
			if was {
				d.Before = new(string(old.data))
			}
			if is {
				d.After = new(string(now.data))
			}
		}
		out = append(out, d)
	}
	return out
}
