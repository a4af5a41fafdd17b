package proposal

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/tool/proposal/proposaldb"
)

// AboutQuery asks for the proposals that name one of some records, in a period.
type AboutQuery struct {
	Records  []uuid.UUID
	From, To time.Time
	Before   rest.Moment
	Limit    int
}

// About returns the proposals that p may see, newest first, without tokens. It scans as many as a page of List.
func (s *Service) About(ctx context.Context, p principal.Principal, q AboutQuery) ([]Card, error) {
	r, err := s.reader(ctx, p)
	if err != nil {
		return nil, err
	}
	params := proposaldb.ProposalsAboutParams{
		From: q.From, To: q.To, BeforeAt: q.Before.At, BeforeID: q.Before.ID, MaxRows: int32(max(q.Limit, leastScanned)),
	}
	for _, id := range q.Records {
		params.Records = append(params.Records, id.String())
	}
	shown := make([]Card, 0, q.Limit)
	for scanned := 0; scanned < mostScanned; {
		found, err := proposaldb.New(s.DB.CustomPlans(ctx)).ProposalsAbout(ctx, params)
		if err != nil {
			return nil, fmt.Errorf("list proposals about records: %w", err)
		}
		rows := make([]proposaldb.ListProposalsRow, len(found))
		for i, row := range found {
			rows[i] = proposaldb.ListProposalsRow(row)
			params.BeforeAt, params.BeforeID = row.AiProposal.CreatedAt, row.AiProposal.ID
		}
		if shown, _, err = r.append(ctx, shown, rows, q.Limit); err != nil {
			return nil, err
		}
		if len(shown) == q.Limit || len(found) < int(params.MaxRows) {
			break
		}
		scanned += len(found)
	}
	return shown, nil
}
