package authdb

import (
	"errors"

	"github.com/jackc/pgx/v5"
)

// Queue functions add the query for a principal to a batch. into points to the row after the batch was sent, nil when
// not found.

// QueuePrincipalByToken is PrincipalByToken in a batch.
func QueuePrincipalByToken(b *pgx.Batch, p PrincipalByTokenParams, into **PrincipalByTokenRow) {
	queueOne(b.Queue(principalByToken, p.TouchSeconds, p.ObjectTypes, p.TokenID, p.TokenHash), into)
}

// QueuePrincipalByRun is PrincipalByRun in a batch.
func QueuePrincipalByRun(b *pgx.Batch, p PrincipalByRunParams, into **PrincipalByRunRow) {
	queueOne(b.Queue(principalByRun, p.ObjectTypes, p.RunID), into)
}

// QueuePrincipalByConsent is PrincipalByConsent in a batch.
func QueuePrincipalByConsent(b *pgx.Batch, p PrincipalByConsentParams, into **PrincipalByConsentRow) {
	queueOne(b.Queue(principalByConsent, p.TouchSeconds, p.TokenHash, p.DefaultRole, p.ObjectTypes, p.ConsentID), into)
}

// QueuePrincipalBySession is PrincipalBySession in a batch.
func QueuePrincipalBySession(b *pgx.Batch, p PrincipalBySessionParams, into **PrincipalBySessionRow) {
	queueOne(b.Queue(principalBySession, p.TouchSeconds, p.DefaultRole, p.ObjectTypes, p.SessionID, p.TokenHash, p.Kind, p.IdleSeconds), into)
}

func queueOne[T any](q *pgx.QueuedQuery, into **T) {
	q.Query(func(rows pgx.Rows) error {
		row, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[T])
		switch {
		case errors.Is(err, pgx.ErrNoRows):
		case err != nil:
			return err
		default:
			*into = &row
		}
		return nil
	})
}
