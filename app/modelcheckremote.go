package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/modules/connection"
	"countersign/modules/modelcheck"
)

const (
	checksAPI       = "/api/ai/model-checks"
	pollInterval    = time.Second
	remoteTolerance = time.Minute
	// startLimit bounds the start of a check, for which the product asks nothing of the model.
	startLimit = 20 * time.Second
)

// checkModel has the product check a model, as the web app does, and waits for the end. The rights are those of the
// token, and the check counts against the spend cap of its holder.
func (r *remote) checkModel(ctx context.Context, o modelCheckOptions, p Process) error {
	id, err := uuid.Parse(o.connection)
	if err != nil {
		var known struct {
			Connections []connection.Connection `json:"connections"`
		}
		if err := r.do(ctx, http.MethodGet, "/api/ai/connections", nil, &known); err != nil {
			return err
		}
		if id, err = connectionNamed(o.connection, known.Connections); err != nil {
			return err
		}
	}
	o.ConnectionID = id
	check, err := r.startCheck(ctx, o.NewCheck)
	if err != nil {
		return err
	}
	if err := r.waitForCheck(ctx, check, p.Stderr); err != nil {
		if ctx.Err() != nil {
			stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = r.do(stop, http.MethodPost, checksAPI+"/"+check.ID.String()+"/stop", nil, &check)
			return err
		}
		return fmt.Errorf("%w The check %s goes on in the product", err, check.ID)
	}
	var report modelcheck.Report
	if err := r.do(ctx, http.MethodGet, checksAPI+"/"+check.ID.String(), nil, &report); err != nil {
		return err
	}
	return o.conclude(p, report)
}

// startCheck starts a check. An interrupt does not cut the call off: only who knows the id of a check can stop it.
func (r *remote) startCheck(ctx context.Context, in modelcheck.NewCheck) (check modelcheck.Check, err error) {
	if err := context.Cause(ctx); err != nil {
		return check, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startLimit)
	defer cancel()
	err = r.do(ctx, http.MethodPost, checksAPI, in, &check)
	return check, err
}

// waitForCheck follows a check to its end. A product that restarts does not answer for a while.
func (r *remote) waitForCheck(ctx context.Context, check modelcheck.Check, w io.Writer) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	answered := time.Now()
	query := url.Values{"connectionId": {check.ConnectionID.String()}, "limit": {"10"}}
	for check.Status == modelcheck.Running {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
		var page struct {
			Checks []modelcheck.Check `json:"checks"`
		}
		err := r.do(ctx, http.MethodGet, checksAPI+"?"+query.Encode(), nil, &page)
		switch {
		case err != nil && problem.CodeOf(err).Retryable() && time.Since(answered) < remoteTolerance:
			continue
		case err != nil:
			return err
		}
		answered = time.Now()
		i := slices.IndexFunc(page.Checks, func(c modelcheck.Check) bool { return c.ID == check.ID })
		if i < 0 {
			return problem.Errorf(problem.NotFound, "The product has lost the check.")
		}
		check = page.Checks[i]
		progress(w, check.Played, check.Total)
	}
	_, _ = fmt.Fprintln(w)
	return nil
}
