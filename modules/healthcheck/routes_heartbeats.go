package healthcheck

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"countersign/check/heartbeat"
	"countersign/internal/problem"
	"countersign/internal/rest"
)

const (
	heartbeatsPath = "/api/heartbeats"
	// maxHeartbeat bounds the body of a report.
	maxHeartbeat = 64 << 10
)

type callingList struct {
	Heartbeats []Calling `json:"heartbeats" nullable:"false"`
	rest.Next
}

// saying holds the parameters of a heartbeat.
type saying struct {
	Message    string `json:"message,omitempty" doc:"Kept up to 500 characters; the rest is cut."`
	DurationMs int64  `json:"durationMs,omitempty" minimum:"0" maximum:"31622400000" doc:"How long the work took."`
}

// caller is the network origin of a request.
type caller struct{ remoteAddr, forwardedFor string }

// Resolve implements huma.Resolver.
func (c *caller) Resolve(ctx huma.Context) []error {
	header := http.Header{}
	// A proxy may add a header line to those of the request.
	ctx.EachHeader(header.Add)
	*c = caller{ctx.RemoteAddr(), strings.Join(header.Values("X-Forwarded-For"), ",")}
	return nil
}

// call is the request of a heartbeat.
type call struct {
	Token      string `path:"token" maxLength:"200" doc:"From the address that the check shows to who may change it."`
	Message    string `query:"message" maxLength:"4000" doc:"For what cannot send a body, which counts more."`
	DurationMs int64  `query:"durationMs" minimum:"0" maximum:"31622400000"`
	Caller     caller
	Body       *saying `required:"false"`
}

func (c *call) report(failed bool) heartbeat.Report {
	said := saying{Message: c.Message, DurationMs: c.DurationMs}
	if c.Body != nil {
		if c.Body.Message != "" {
			said.Message = c.Body.Message
		}
		if c.Body.DurationMs != 0 {
			said.DurationMs = c.Body.DurationMs
		}
	}
	return heartbeat.Report{Failed: failed, Message: said.Message, Duration: time.Duration(said.DurationMs) * time.Millisecond}
}

// getCall is the request of a heartbeat by GET.
type getCall struct {
	Token      string `path:"token" maxLength:"200" doc:"From the address that the check shows to who may change it."`
	Message    string `query:"message" maxLength:"4000"`
	DurationMs int64  `query:"durationMs" minimum:"0" maximum:"31622400000"`
	// Purpose is set by browsers that fetch a link before anybody opens it.
	Purpose    string `header:"Sec-Purpose" maxLength:"200" doc:"A prefetch is no heartbeat."`
	OldPurpose string `header:"Purpose" maxLength:"200" doc:"The same, of older browsers."`
	Caller     caller
}

func (c *getCall) prefetches() bool {
	return strings.Contains(strings.ToLower(c.Purpose+" "+c.OldPurpose), "prefetch")
}

// heartbeatRoutes registers the endpoints of heartbeats. A job reports by POST, because link previews and scanners send
// GET; that counts only where a check accepts it.
func (m *Module) heartbeatRoutes(api huma.API) {
	s := m.service
	huma.Register(
		api,
		rest.Op(
			"list-check-heartbeats",
			http.MethodGet,
			checksPath+"/{id}/heartbeats",
			"List where the jobs of a heartbeat check call in",
			rest.Doc(
				"For the systems that the caller may see. Needs the right to change the check, as who knows an address can say "+
					"that the job has run. Other checks have none.",
			),
		),
		func(ctx context.Context, in *assignmentQuery) (*rest.Body[callingList], error) {
			list, next, err := s.Callings(ctx, in.ID, in.Page)
			return rest.With(callingList{list, next}, err)
		},
	)
	huma.Register(api, rest.Op(
		"replace-heartbeat-address",
		http.MethodPost,
		checksPath+"/{id}/heartbeats/{target}/rotate-token",
		"Replace the address at which a job calls in",
		rest.Tool("healthcheck.replaceHeartbeatAddress", rest.Mutates, rest.Direct(), rest.Decided(Manage)),
		rest.Status(http.StatusOK),
		rest.Doc(
			"The answer shows the new one, this once. The old one counts for 24 hours more, or ends at once. Needs the right to change the check.",
		),
	),
		func(ctx context.Context, in *struct {
			rest.ByID
			Target int32 `path:"target" minimum:"1"`
			Body   Replacement
		},
		) (*rest.Body[NewAddress], error) {
			return rest.With(s.ReplaceAddress(ctx, in.ID, in.Target, in.Body))
		})
	for _, o := range []struct {
		id, path, summary string
		failed            bool
	}{
		{"send-heartbeat", "/{token}", "Say that a job has done its work", false},
		{"send-failed-heartbeat", "/{token}/fail", "Say that a job has failed", true},
	} {
		op := rest.Op(
			o.id,
			http.MethodPost,
			heartbeatsPath+o.path,
			o.summary,
			rest.Public(),
			rest.Status(http.StatusOK),
			rest.Doc(
				"For the job of a heartbeat check. It is heard while the check is paused too. A token that is not valid any more "+
					"is as one that never was.",
			),
		)
		op.MaxBodyBytes = maxHeartbeat
		huma.Register(api, op, func(ctx context.Context, in *call) (*rest.Body[HeardCall], error) {
			address := m.service.Address(in.Caller.remoteAddr, in.Caller.forwardedFor)
			return rest.With(s.ReceiveHeartbeat(ctx, in.Token, address, in.report(o.failed)))
		})
		huma.Register(api, rest.Op(
			o.id+"-by-get",
			http.MethodGet,
			heartbeatsPath+o.path,
			o.summary+", by GET",
			rest.Public(),
			rest.Doc(
				"For devices that cannot send a POST, where the check has acceptGet. HEAD and prefetches of browsers never count.",
			),
		), func(ctx context.Context, in *getCall) (*rest.Body[HeardCall], error) {
			if in.prefetches() {
				return nil, problem.Errorf(problem.WrongMethod, "A prefetch is no heartbeat.")
			}
			address := m.service.Address(in.Caller.remoteAddr, in.Caller.forwardedFor)
			report := heartbeat.Report{
				Failed: o.failed, Message: in.Message, Duration: time.Duration(in.DurationMs) * time.Millisecond, Get: true,
			}
			return rest.With(s.ReceiveHeartbeat(ctx, in.Token, address, report))
		})
	}
}
