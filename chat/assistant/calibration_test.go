package assistant_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/model"
)

// What providers say of a request that is too long for them.
func TestARefusalIsRead(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]assistant.Refusal{
		"This model's maximum context length is 8192 tokens. However, your messages resulted in 30000 tokens.":                    {Window: 8_192, Counted: 30_000},
		"maximum context length is 4096 tokens. However, you requested 5012 tokens (4500 in the messages, 512 in the completion)": {Window: 4_096, Counted: 4_500},
		"This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.":                        {Window: 4_096, Counted: 5_000},
		"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it":                               {Window: 8_192, Counted: 9_000},
		"prompt is too long: 210,000 tokens > 200,000 maximum":                                                                    {Window: 200_000, Counted: 210_000},
		"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).":                                 {Window: 1_048_576, Counted: 1_200_000},
		"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length":                  {Window: 32_768, Counted: 40_000},
		"The total number of input tokens 40012 exceeds the limit of 28000":                                                       {Window: 28_000, Counted: 40_012},
		"Request too large for model on tokens per minute (TPM): Limit 8000, Requested 9123, please reduce your message size":     {Window: 8_000, Counted: 9_123},
		"Invalid request: model max length exceeded, max length:8192":                                                             {Window: 8_192},
		"the max input characters is 21000, the input is too large":                                                               {Window: 7_000},
		"total message size 2100954 exceeds limit 2097152":                                                                        {},
		"prompt too long": {},
	} {
		require.Equal(t, want, assistant.ReadRefusal(said), said)
	}
}

// A window that a provider states is taken as it stands. What was wrong is the estimate of the request.
func TestAStatedWindowIsNotMadeSmaller(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		known     assistant.Measures
		refusal   assistant.Refusal
		estimate  int
		window    int
		estimates [2]int
	}{
		"nothing was known":                  {refusal: assistant.Refusal{Window: 4_096}, estimate: 17_000, window: 4_096, estimates: [2]int{4_096, 4_096}},
		"the provider counts twice as much":  {refusal: assistant.Refusal{Window: 4_096, Counted: 34_000}, estimate: 17_000, window: 4_096, estimates: [2]int{1_900, 2_048}},
		"it was known, the estimate was low": {known: assistant.Measures{Window: 4_096}, refusal: assistant.Refusal{Window: 4_096, Counted: 4_500}, estimate: 3_000, window: 4_096, estimates: [2]int{2_500, 2_731}},
		"it was known, nothing was counted":  {known: assistant.Measures{Window: 4_096}, refusal: assistant.Refusal{Window: 4_096}, estimate: 3_500, window: 4_096, estimates: [2]int{3_000, 3_300}},
		"a larger one is no news":            {known: assistant.Measures{Window: 4_096}, refusal: assistant.Refusal{Window: 8_192}, estimate: 4_000, window: 4_096, estimates: [2]int{3_000, 3_300}},
		"nothing is stated":                  {refusal: assistant.Refusal{}, estimate: 28_000, window: 17_500, estimates: [2]int{17_500, 17_500}},
		"nothing is stated of a short one":   {refusal: assistant.Refusal{}, estimate: 4_000, window: assistant.LeastWindow, estimates: [2]int{4_096, 4_096}},
	} {
		figures := c.known.Refused(c.refusal, c.estimate)
		learned := assistant.Measures{
			Window:      cmp.Or(figures.WindowTokens, c.known.Window),
			Calibration: assistant.Calibration(figures.TokensPerEstimate),
		}
		require.Equal(t, c.window, learned.Window, name)
		require.GreaterOrEqual(t, learned.Estimates(), c.estimates[0], name)
		require.LessOrEqual(t, learned.Estimates(), c.estimates[1], name)
	}
}

// However far off an estimate is, a few refusals that count nothing make a request small enough.
func TestRefusalsThatCountNothingEndSoon(t *testing.T) {
	t.Parallel()
	known, perEstimate := assistant.Measures{Window: 8_192}, 1.9
	for refused := 0; ; refused++ {
		estimate := known.Estimates()
		if float64(estimate)*perEstimate <= 8_192 {
			require.LessOrEqual(t, refused, 3)
			break
		}
		known.Calibration = assistant.Calibration(known.Refused(assistant.Refusal{Window: 8_192}, estimate).TokensPerEstimate)
	}
}

// What a provider counts corrects the estimates of a connection, unless the count may be that of a request that was cut.
func TestEstimatesAreCalibrated(t *testing.T) {
	t.Parallel()
	counts := func(n int) model.Usage { return model.Usage{Reported: true, InputTokens: n} }
	known := assistant.Calibration(0).Counted(10_000, counts(13_000), 128_000)
	require.InDelta(t, 1.3, float64(known), 0.001)
	require.Equal(t, 13_000, known.Tokens(10_000))
	require.Equal(t, 10_000, known.Estimates(13_000))
	require.InDelta(t, 0.9, float64(known.Counted(10_000, counts(9_000), 128_000)), 0.001)
	require.InDelta(t, 1.4, float64(known.Counted(10_000, counts(14_000), 14_500)), 0.001)
	require.Zero(t, known.Counted(10_000, counts(12_000), 14_000), "it may have been cut")
	require.Zero(t, known.Counted(10_000, counts(4_500), 128_000), "it was cut")
	require.Zero(t, known.Counted(10_000, model.Usage{}, 128_000))
	require.Zero(t, known.Counted(1_000, counts(4_000), 128_000), "too short to tell")
	require.InDelta(t, 3, float64(known.Counted(2_000, counts(90_000), 128_000)), 0.001)
	require.Equal(t, 0, assistant.Calibration(0).Estimates(0), "unknown")
}

// The time to the first words is long enough to read the request, and bounded.
func TestTheTimeToTheFirstWordsFollowsThePace(t *testing.T) {
	t.Parallel()
	const request, least = 17_500, time.Minute
	var known assistant.Measures
	unknown := known.FirstTokenLimit(request, least, false)
	require.Greater(t, unknown, 5*time.Minute, "it may be a slow one")
	require.Equal(t, least, known.FirstTokenLimit(200, least, false))
	require.Equal(t, 2*unknown, known.FirstTokenLimit(request, least, true), "no identical retry")
	after := func(first time.Duration) assistant.Measures {
		return assistant.Measures{Pace: known.Answered(request, model.Usage{}, first).PrefillTokensPerSecond}
	}
	require.Greater(t, after(75*time.Second).FirstTokenLimit(request, least, false), 4*time.Minute)
	require.Equal(t, least, after(time.Second).FirstTokenLimit(request, least, false))
	require.Equal(t, assistant.MaxFirstToken, after(20*time.Minute).FirstTokenLimit(request, least, false))
	require.Zero(t, known.Answered(300, model.Usage{}, time.Minute).PrefillTokensPerSecond, "too short to tell")
	cached := model.Usage{Reported: true, InputTokens: request, CachedTokens: request - 100}
	require.Zero(t, known.Answered(request, cached, time.Second).PrefillTokensPerSecond, "it was not read")
	known.FirstToken = 20 * time.Second
	require.Equal(t, 20*time.Second, known.FirstTokenLimit(request, least, true), "what the connection says holds")
}

// A model that thinks gets room for it beside its answer, and what it used lately decides how much.
func TestThoughtsHaveRoomOfTheirOwn(t *testing.T) {
	t.Parallel()
	known := assistant.Measures{Window: 128_000, Thinks: true}
	require.Equal(t, 8_192, known.ThoughtTokens(17_000, false))
	require.Equal(t, 16_384, known.ThoughtTokens(17_000, true))
	known.Thoughts = 10_000
	require.Equal(t, 15_000, known.ThoughtTokens(17_000, false))
	require.Equal(t, 40_000, known.ThoughtTokens(17_000, true))
	require.Equal(t, 128_000-120_000-assistant.ReplyTokens(128_000), known.ThoughtTokens(120_000, false), "what is left of the window")
	require.Equal(t, 0, known.ThoughtTokens(127_000, false))
	require.Equal(t, 15_000, known.ThoughtRoom())
	require.Equal(t, 1_024, assistant.Measures{Window: 8_192, Thinks: true, Thoughts: 9_000}.ThoughtRoom())
	require.Equal(t, 0, assistant.Measures{Window: 128_000}.ThoughtTokens(17_000, false))
	require.Equal(t, 0, assistant.Measures{Window: 128_000, Thoughts: 9_000}.ThoughtRoom())
}
