package assistant

import (
	"regexp"
	"strconv"
	"strings"

	"countersign/model"
)

// Calibration is how many tokens a provider counts for each that Tokens estimates. Zero is an unknown one, which is 1.
type Calibration float64

const (
	// leastCalibration and mostCalibration bound what is learned: no tokenizer is further from the estimate, so a count
	// beyond is of something else, such as of a part of the request.
	leastCalibration = 0.7
	mostCalibration  = 3
	// leastCounted is the smallest request that is learned from: below, what a provider adds by itself weighs too much.
	leastCounted = 1_500
	// calibrationMargin is beyond what a refusal has counted.
	calibrationMargin = 1.05
	// unexplained is by how much an estimate rises after a refusal that counts nothing.
	unexplained = 1.3
)

func (c Calibration) orOne() float64 {
	if c <= 0 {
		return 1
	}
	return float64(c)
}

// Tokens are the tokens that a provider counts for an estimate.
func (c Calibration) Tokens(estimate int) int { return int(float64(estimate)*c.orOne() + 0.5) }

// Estimates are the tokens of a window as Tokens would estimate them, so that all sizes of a request can be compared
// with it. An unknown window without a calibration stays unknown.
func (c Calibration) Estimates(window int) int {
	if c <= 0 {
		return window
	}
	return int(float64(windowOrDefault(window)) / float64(c))
}

// Counted is the calibration that a provider's count of a request shows, 0 for none. A count that is too low for the
// estimate may be one of a truncated request, so it is believed only of a request that takes less than half of the
// window.
func (c Calibration) Counted(estimate int, used model.Usage, window int) Calibration {
	if !used.Reported || estimate < leastCounted || CutSilently(min(estimate, c.Tokens(estimate)), used) {
		return 0
	}
	found := float64(used.InputTokens) / float64(estimate)
	if found < c.orOne() && c.Tokens(estimate) >= windowOrDefault(window)/2 {
		return 0
	}
	return within(found)
}

func within(found float64) Calibration {
	return Calibration(min(max(found, leastCalibration), mostCalibration))
}

// Refusal is what a provider says of a request that is too long for it, in tokens; 0 for what it does not say.
type Refusal struct {
	// Window is the context window, Counted is how long the request was without its answer.
	Window, Counted int
}

// number is a count in a sentence, with or without separators.
const number = `([0-9]{1,3}(?:[,_][0-9]{3})+|[0-9]{4,8})`

// statedWindows find the window in a refusal, statedCounts what the provider counted. The first one that matches holds.
var (
	statedWindows = []*regexp.Regexp{
		regexp.MustCompile(`(?i)> ` + number + ` maximum`),
		regexp.MustCompile(`(?i)` + number + `[- ](?:tokens? )?(?:maximum|max)\b[^.]{0,20}(?:context|length|window)`),
		regexp.MustCompile(`(?i)(?:maximum|max|limit|window|length|context size)[^0-9]{0,40}` + number + `\b`),
		regexp.MustCompile(`(?i)"n_ctx":\s*` + number + `\b`),
	}
	statedCounts = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\(` + number + ` (?:tokens )?(?:in|from) the (?:messages|input|prompt)`),
		regexp.MustCompile(`(?i)(?:resulted in|prompt contains|request has|passed|input tokens?|token count of|token count \()[^0-9]{0,12}` +
			number + `\b`),
		regexp.MustCompile(`(?i)(?:too long:|request \()[^0-9]{0,4}` + number + ` tokens?`),
		regexp.MustCompile(`(?i)requested:? (?:about )?` + number + `\b`),
		regexp.MustCompile(`(?i)"n_prompt_tokens":\s*` + number + `\b`),
	}
	// inCharacters says that a limit is not one of tokens.
	inCharacters = regexp.MustCompile(`(?i)characters?\b`)
	inBytes      = regexp.MustCompile(`(?i)\b(?:bytes\b|message size [0-9])`)
)

// ReadRefusal reads what a provider says of a request that is too long.
func ReadRefusal(said string) Refusal {
	if inBytes.MatchString(said) {
		return Refusal{}
	}
	r := Refusal{Window: firstNumber(statedWindows, said), Counted: firstNumber(statedCounts, said)}
	if inCharacters.MatchString(said) {
		r.Window, r.Counted = r.Window/CharsPerToken, r.Counted/CharsPerToken
	}
	// A count that fits is one of something else, such as of the answer.
	if r.Window > 0 && r.Counted < r.Window/2 {
		r.Counted = 0
	}
	return r
}

func firstNumber(patterns []*regexp.Regexp, said string) int {
	for _, p := range patterns {
		if found := p.FindStringSubmatch(said); found != nil {
			if n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(found[1])); err == nil {
				return n
			}
		}
	}
	return 0
}

// Learned is the window, and the calibration, after a provider has refused a request of so many estimated tokens as too
// long. A stated window is taken as it stands: it is the estimate that was too low. Without one, there is room for half of
// the request, and for a turn to work in.
func (r Refusal) Learned(window int, c Calibration, estimate int) (int, Calibration) {
	sent := c.Tokens(estimate)
	if r.Counted > 0 && estimate > 0 {
		c = within(max(c.orOne(), float64(r.Counted)/float64(estimate)*calibrationMargin))
	}
	switch {
	case r.Window > 0 && (window <= 0 || r.Window < window):
		if r.Window > sent && r.Counted == 0 {
			c = within(c.orOne() * float64(r.Window) / float64(max(sent, 1)) * calibrationMargin)
		}
		return r.Window, c
	case r.Counted > 0 && (r.Window > 0 || c.Tokens(estimate) > windowOrDefault(window)):
		return window, c
	case r.Window > 0:
		// By its estimate it fits into what the provider says.
		return window, within(c.orOne() * unexplained)
	default:
		return max(sent/2+ReplyTokens(sent), LeastWindow), c
	}
}
