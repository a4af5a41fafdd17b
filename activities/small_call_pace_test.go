package activities_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/model"
)

// deadlines are the times that requests have left.
type deadlines struct {
	mu   sync.Mutex
	left []time.Duration
}

func (d *deadlines) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	if ends, bounded := r.Context().Deadline(); bounded {
		d.left = append(d.left, time.Until(ends))
	} else {
		d.left = append(d.left, 0)
	}
	d.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// A slow server gets the time that it needs to read the summary.
func TestTheTimeForASummaryFollowsThePace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pace        float64
		least, most time.Duration
	}{
		{0, 10 * time.Second, 30 * time.Second},
		{100, 100 * time.Second, 5 * time.Minute},
	} {
		p, d, conversation := newProcess(t), &deadlines{}, uuid.New()
		p.talk(t, conversation, 16, 1_000)
		p.connects(func(to *activities.Connection) {
			to.Figures = model.Figures{PrefillTokensPerSecond: c.pace}
			env := p.provider.Env()
			to.Client = model.New(model.Options{
				BaseURL: env["OPENAI_BASE_URL"], APIKey: env["OPENAI_API_KEY"], HTTPClient: &http.Client{Transport: d},
			})
		})
		p.provider.Say(apptest.Summary, "They spoke of questions 0 to 6.")
		id := p.begin(t, "And now?", inConversation(conversation))
		p.prepare(t, id)
		require.NotEmpty(t, d.left)
		require.Greater(t, d.left[0], c.least)
		require.LessOrEqual(t, d.left[0], c.most)
	}
}
