package healthcheck

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

type statusInput struct {
	Query  string `json:"query,omitempty" jsonschema:"maxLength=200,description=Text to look for in names and tags of systems."`
	Status string `json:"status,omitempty" jsonschema:"enum=unknown,enum=healthy,enum=partly-unknown,enum=degraded,enum=unhealthy,description=Only systems that are like this."`
	Limit  int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100,description=How many to list at most; 30 when left out."`
}

type systemFare struct {
	SystemID   uuid.UUID  `json:"systemId"`
	SystemName string     `json:"systemName"`
	Status     Status     `json:"status"`
	Since      *time.Time `json:"since,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Checks     int        `json:"checks"`
}

type statusOutput struct {
	Systems []systemFare `json:"systems" jsonschema:"description=The worst first."`
	More    bool         `json:"more,omitempty" jsonschema:"description=There are more than these: narrow the search."`
}

// Tainted implements tool.Tainted: why a system is not healthy quotes what it answered.
func (o statusOutput) Tainted() bool {
	for _, s := range o.Systems {
		if quotes(s.Status, s.Reason) {
			return true
		}
	}
	return false
}

// Origin implements tool.Originated.
func (o statusOutput) Origin() string { return resultsOrigin }

const resultsOrigin = "results of health checks"

// quotes reports whether the reason of the status of a system quotes the target's answer.
func quotes(s Status, reason string) bool {
	_, why, _ := strings.Cut(reason, ": ")
	return s == Degraded || s == Unhealthy || foundSaid(why)
}

func statusTool() tool.Tool {
	const defaultLimit = 30
	d := kit.Define(texts, "healthcheck.status", tool.Read, StatusRead)
	d.Result.ImpliedRules = impliedRules[statusOutput]
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in statusInput) (statusOutput, error) {
		if in.Limit == 0 {
			in.Limit = defaultLimit
		}
		q := url.Values{"limit": {strconv.Itoa(in.Limit)}}
		if in.Query != "" {
			q.Set("query", in.Query)
		}
		if in.Status != "" {
			q.Set("status", in.Status)
		}
		rows, more, err := kit.Page[BoardRow](ctx, c, base+"/board", "systems", q)
		out := statusOutput{Systems: make([]systemFare, 0, len(rows)), More: more}
		for _, r := range rows {
			out.Systems = append(out.Systems, systemFare{r.SystemID, r.SystemName, r.Status, r.Since, r.Reason, r.Checks})
		}
		return out, err
	})
}
