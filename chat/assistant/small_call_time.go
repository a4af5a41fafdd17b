package assistant

import "time"

// SmallCallTime bounds a small model call: Plain for a model that answers at once and Thinking for one that is known to think
// first, with the time that a slow server needs to read the request, and Most for all of that.
type SmallCallTime struct{ Plain, Thinking, Most time.Duration }

// A verdict delays the answer; without one the turn continues. A name and a background task of a chat program delay nothing.
var (
	VerdictTime = SmallCallTime{2 * time.Second, 10 * time.Second, 30 * time.Second}
	TitleTime   = SmallCallTime{20 * time.Second, time.Minute, 2 * time.Minute}
	TaskTime    = SmallCallTime{30 * time.Second, time.Minute, 3 * time.Minute}
	SummaryTime = SmallCallTime{30 * time.Second, time.Minute, 5 * time.Minute}
)

func (t SmallCallTime) base(thinks bool) time.Duration {
	if thinks {
		return t.Thinking
	}
	return t.Plain
}

// SmallCallLimit is the time for a small call of so many tokens: what the connection says, or time enough to read it. A model
// whose pace is not known gets no more than one that reads at once, as people would wait for one that hangs.
func (f Measures) SmallCallLimit(sent int, t SmallCallTime, thinks bool) time.Duration {
	if f.SmallCall > 0 {
		return f.SmallCall
	}
	return min(t.base(thinks)+f.ReadingAllowance(sent), t.Most)
}

// SmallCallInput is how many of the wanted estimated tokens a small call may send so that the model can read them within its limit.
func (f Measures) SmallCallInput(wanted int, t SmallCallTime, thinks bool) int {
	left := t.Most - t.base(thinks)
	if f.SmallCall > 0 || f.ReadingAllowance(f.Calibration.Tokens(wanted)) <= left {
		return wanted
	}
	return max(f.Calibration.Estimates(int(left.Seconds()*f.Pace/paceMargin)), leastSummaryInput)
}
