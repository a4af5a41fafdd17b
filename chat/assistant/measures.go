package assistant

import (
	"time"

	"countersign/model"
)

// Measures is what is known of a model's sizes and pace, in tokens as its provider counts them: declared, or learned from
// its answers and refusals. Zero is unknown.
type Measures struct {
	// Window is the context window.
	Window      int
	Calibration Calibration
	// Thinks says that the model thinks before it answers, or that it may, Thoughts how much it thought lately at most.
	Thinks   bool
	Thoughts int
	// Pace is how many tokens of a request the model reads in a second, when nothing of it is in a cache.
	Pace float64
	// FirstToken is the limit that the connection sets for the time before the first words, SmallCall that for a small call.
	FirstToken, SmallCall time.Duration
}

// MeasuresOf returns what figures of earlier calls say of a model with this window.
func MeasuresOf(window int, seen model.Figures) Measures {
	return Measures{
		Window: window, Calibration: Calibration(seen.TokensPerEstimate), Pace: seen.PrefillTokensPerSecond, Thoughts: seen.ReasoningTokens,
	}
}

// Observed adds what this process has observed of the model's thoughts. One that has not answered yet may think.
func (f Measures) Observed(c *model.Client, name string) Measures {
	thinks, known := c.Thinks(name)
	f.Thinks, f.Thoughts = thinks || !known, c.Thoughts(name)
	return f
}

// Estimates is the context window in estimated tokens, with which sizes of requests are compared.
func (f Measures) Estimates() int { return f.Calibration.Estimates(f.Window) }

const (
	// usualThoughts are left to a model that thinks, mostThoughts to one that has used up what was left to it.
	usualThoughts = 8_192
	moreThoughts  = 16_384
	mostThoughts  = 65_536
)

// ThoughtTokens are those that an answer may take for the thoughts before it, beside ReplyTokens: half as many again as
// lately at most. raised leaves more room, after an answer that ended in its thoughts. sent is the size of the request.
func (f Measures) ThoughtTokens(sent int, raised bool) int {
	thoughts := 0
	switch {
	case raised:
		thoughts = max(moreThoughts, 4*f.Thoughts)
	case f.Thinks:
		thoughts = max(usualThoughts, f.Thoughts*3/2)
	}
	left := windowOrDefault(f.Window) - sent - ReplyTokens(f.Window)
	return max(min(thoughts, mostThoughts, left), 0)
}

// smallCallThoughts are left to the thoughts before the answer to a small call.
const smallCallThoughts = 2_048

// SmallCallThoughts are the tokens that a small call of this size may take for the thoughts before an answer of so many tokens:
// half as many again as the model thought lately at most. raised is for a call after one that ended in its thoughts.
func (f Measures) SmallCallThoughts(sent, answer int, raised bool) int {
	thoughts := max(smallCallThoughts, f.Thoughts*3/2)
	if raised {
		thoughts *= 2
	}
	left := windowOrDefault(f.Window)*9/10 - sent - answer
	return max(min(thoughts, mostThoughts, left), 0)
}

// SummaryThoughts are the tokens that a summary leaves to the thoughts before it.
func (f Measures) SummaryThoughts() int {
	return min(max(smallCallThoughts, f.Thoughts*3/2), windowOrDefault(f.Estimates())/4)
}

// ThoughtRoom is the part of the window that a conversation leaves to the thoughts before an answer.
func (f Measures) ThoughtRoom() int {
	if !f.Thinks {
		return 0
	}
	return min(f.Thoughts*3/2, windowOrDefault(f.Window)/8)
}

const (
	// MaxFirstToken bounds the time before the first words of an answer.
	MaxFirstToken = 15 * time.Minute
	// unknownPace is that of a slow model on a computer without an accelerator, as every new connection may be one.
	unknownPace = 150
	// paceMargin is by how much a model may be slower than it was.
	paceMargin = 3
	// queueing is the time before a request is read at all.
	queueing = 30 * time.Second
	// leastRead is the smallest request that is learned from.
	leastRead = 1_000
)

// FirstTokenLimit is the time in which a model has to begin its answer to a request of so many tokens: what the connection
// says, or time enough to read it. It is at least least. longer is for a request whose time was up already.
func (f Measures) FirstTokenLimit(sent int, least time.Duration, longer bool) time.Duration {
	if f.FirstToken > 0 {
		return f.FirstToken
	}
	pace := f.Pace
	if pace <= 0 {
		pace = unknownPace
	}
	limit := queueing + paceMargin*readingTime(sent, pace)
	if longer {
		limit *= 2
	}
	return min(max(limit, least), MaxFirstToken)
}

// MarkFinal marks the timeout of a request of so many tokens that another attempt would only repeat: it would get no longer limit,
// and the model was not seen to read such requests in less.
func (f Measures) MarkFinal(timedOut *model.Error, sent int, least time.Duration) {
	limit := f.FirstTokenLimit(sent, least, false)
	mayBegin := f.FirstTokenLimit(sent, least, true) > limit || f.Pace > 0 && f.ReadingTime(sent) < limit
	if timedOut.Reason == model.FirstToken && !mayBegin {
		timedOut.Reason = model.FirstTokenFinal
	}
}

// ReadingTime is how long the model takes to read so many tokens at the slowest pace seen, 0 when none was.
func (f Measures) ReadingTime(tokens int) time.Duration {
	if f.Pace <= 0 {
		return 0
	}
	return readingTime(tokens, f.Pace)
}

func readingTime(tokens int, pace float64) time.Duration {
	return time.Duration(float64(tokens) / pace * float64(time.Second))
}

// ReadingAllowance is the time that a limit adds for a request of so many tokens: none until the pace is known.
func (f Measures) ReadingAllowance(tokens int) time.Duration {
	return paceMargin * f.ReadingTime(tokens)
}

// Answered returns what an answer to a request of so many estimated tokens shows, whose first words came after first.
func (f Measures) Answered(estimate int, used model.Usage, first time.Duration) model.Figures {
	shown := model.Figures{TokensPerEstimate: float64(f.Calibration.Counted(estimate, used, f.Window))}
	read := f.Calibration.Tokens(estimate)
	if used.Reported {
		read = used.InputTokens - used.CachedTokens
	}
	if read >= leastRead && first > 0 {
		shown.PrefillTokensPerSecond = float64(read) / first.Seconds()
	}
	if f.Thoughts > 0 {
		shown.ReasoningTokens = f.Thoughts
	}
	return shown
}

// Teaches reports whether what a refusal has shown lets the next request be shorter.
func (f Measures) Teaches(shown model.Figures) bool {
	return shown.WindowTokens > 0 || shown.TokensPerEstimate > float64(f.Calibration)
}

// Refused returns what the refusal of a request of so many estimated tokens as too long shows. A window that it does not state
// is guessed, for one turn alone.
func (f Measures) Refused(r Refusal, estimate int) model.Figures {
	window, calibration := r.Learned(f.Window, f.Calibration, estimate)
	shown := model.Figures{TokensPerEstimate: float64(calibration)}
	if window == f.Window {
		return shown
	}
	shown.WindowTokens = window
	return shown
}
