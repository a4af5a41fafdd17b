package proposal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/tool/disposition"
	"countersign/tool/proposal/proposaldb"
)

// mostScanned bounds the proposals that a page scans for those its reader may see: first leastScanned or the page size,
// then moreScanned per batch. The next page continues there, so proposals that the reader may not see hide none. A
// search scans up to mostSearched, searchedAtOnce per query, as those that do not match are cheap.
const (
	leastScanned   = 50
	moreScanned    = 250
	mostScanned    = 1000
	searchedAtOnce = 1000
	mostSearched   = 5000
)

// List returns a page of the proposals p may see, newest first, without tokens, and the cursor of the next page, ""
// after the last; all statuses when status is "". A page can hold fewer than limit, or none, without being the last.
func (s *Service) List(ctx context.Context, p principal.Principal, status Status, cursor string, limit int) ([]Card, string, error) {
	return s.Search(ctx, p, "", status, cursor, limit)
}

// Search is List for the proposals whose summary, tool and proposer's name contain all words of a query, in any case.
func (s *Service) Search(
	ctx context.Context,
	p principal.Principal,
	query string,
	status Status,
	cursor string,
	limit int,
) ([]Card, string, error) {
	after, err := rest.Page{Cursor: cursor}.AfterMoment()
	if err != nil {
		return nil, "", err
	}
	r, err := s.reader(ctx, p)
	if err != nil {
		return nil, "", err
	}
	params, most := s.listParams(p, r, query, status, limit)
	if after != nil {
		params.BeforeAt, params.BeforeID = &after.At, &after.ID
	}
	// One more than the page, so that whether there is another page depends on visible proposals only.
	shown := make([]Card, 0, limit+1)
	for scanned, looked := 0, 0; ; {
		rows, err := proposaldb.New(s.DB.CustomPlans(ctx)).ListProposals(ctx, params)
		if err != nil {
			return nil, "", fmt.Errorf("list proposals: %w", err)
		}
		if len(rows) == 0 {
			return shown, "", nil
		}
		end := rows[len(rows)-1]
		last := end.AiProposal
		rows = slices.DeleteFunc(rows, func(row proposaldb.ListProposalsRow) bool { return !row.Fits })
		var n int
		if shown, n, err = r.append(ctx, shown, rows, limit+1); err != nil {
			return nil, "", err
		}
		if len(shown) > limit {
			at := shown[limit-1]
			return shown[:limit], rest.NextAfter(rest.Moment{At: at.CreatedAt, ID: at.ProposalID}.String()).NextCursor, nil
		}
		if end.Looked < int64(params.MaxRows) {
			return shown, "", nil
		}
		looked, scanned = looked+n, scanned+int(end.Looked)
		if scanned >= most || looked >= mostScanned {
			return shown, rest.NextAfter(rest.Moment{At: last.CreatedAt, ID: last.ID}.String()).NextCursor, nil
		}
		params.BeforeAt, params.BeforeID = &last.CreatedAt, &last.ID
		params.MaxRows = max(params.MaxRows, moreScanned)
	}
}

// listParams returns the query parameters for the proposals that p may see, and the scan limit of a page.
func (s *Service) listParams(
	p principal.Principal,
	r *reader,
	query string,
	status Status,
	limit int,
) (params proposaldb.ListProposalsParams, most int) {
	params = proposaldb.ListProposalsParams{
		PrincipalKind: string(
			p.Kind,
		),
		PrincipalID: p.ID,
		Status:      store.TextOrNull(string(status)),
		MaxRows:     int32(max(limit, leastScanned)),
		Patterns:    []string{},
	}
	most = mostScanned
	for word := range strings.FieldsSeq(query) {
		params.Patterns = append(params.Patterns, text.Pattern(word))
		params.MaxRows, most = searchedAtOnce, mostSearched
	}
	for _, t := range s.Registry.All() {
		params.FixedTools = append(params.FixedTools, t.Name)
		if t.Access.Personal || t.Access.Targets == nil || t.Authorize(p) != nil {
			continue
		}
		params.Tools = append(params.Tools, t.Name)
		if p.Has(ManageRule) || disposition.MayNeedSecond(t, r.exceptions) {
			params.OthersTools = append(params.OthersTools, t.Name)
		}
	}
	// Rights on custom tools are checked per proposal.
	params.OthersMade = p.Has(ManageRule)
	for _, name := range disposition.SecondPersonTools(r.exceptions) {
		if _, fixed := s.Registry.Fixed(name); !fixed {
			params.OthersTools, params.OthersOwners = append(params.OthersTools, name), append(params.OthersOwners, name)
		}
	}
	params.Others = params.OthersMade || len(params.OthersTools) > 0 || len(params.OthersOwners) > 0
	return params, most
}

// append adds the visible proposals of some rows, up to a limit, and returns the number of scanned rows.
func (r *reader) append(
	ctx context.Context,
	shown []Card,
	rows []proposaldb.ListProposalsRow,
	limit int,
) (all []Card, looked int, err error) {
	for some := range slices.Chunk(rows, leastScanned) {
		cards := make([]Card, len(some))
		for i, row := range some {
			if cards[i], err = cardOf(row.AiProposal, row.IsExpired); err != nil {
				return nil, 0, err
			}
		}
		if err := r.loadVisibility(ctx, cards...); err != nil {
			return nil, 0, err
		}
		for i, row := range some {
			if len(shown) == limit {
				return shown, looked, nil
			}
			looked++
			card, err := r.redact(cards[i], row.AiProposal)
			if err != nil {
				continue
			}
			if card, err = r.position(ctx, card, row.Members, row.Position); err != nil {
				return nil, 0, err
			}
			card.Token, card.Request = "", nil
			shown = append(shown, card)
		}
	}
	return shown, looked, nil
}
