package connection

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"countersign/model"
)

// maxRecorded limits the recorded bytes at each end of an answer.
const maxRecorded = 32 << 10

// dialectRecorder records the beginning and the end of a provider's answer, to detect its dialect.
type dialectRecorder struct {
	next http.RoundTripper

	mu          sync.Mutex
	begin, rest []byte
}

func (w *dialectRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.next.RoundTrip(r)
	if err == nil {
		response.Body = &recordedBody{response.Body, w}
	}
	return response, err
}

type recordedBody struct {
	io.ReadCloser
	by *dialectRecorder
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.by.record(p[:max(n, 0)])
	return n, err
}

func (w *dialectRecorder) record(piece []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	room := min(maxRecorded-len(w.begin), len(piece))
	w.begin = append(w.begin, piece[:room]...)
	if w.rest = append(w.rest, piece[room:]...); len(w.rest) > 2*maxRecorded {
		w.rest = append([]byte(nil), w.rest[len(w.rest)-maxRecorded:]...)
	}
}

// dialect is the detected dialect of an answer.
type dialect struct {
	// field is the member or tag of the reasoning text; empty when none was seen.
	field string
	// countsCached reports whether the provider counts cached tokens.
	countsCached bool
}

var (
	thoughtField = regexp.MustCompile(
		`"(reasoning_content|reasoning_details|thinking_blocks|reasoning_text|reasoning|thinking|summary)"\s*:\s*(?:"[^"]|\[\s*[^\]\s]|\{)`,
	)
	cachedTokens = regexp.MustCompile(`"(?:cached_tokens|prompt_cache_hit_tokens|cache_read_input_tokens)"\s*:\s*\d`)
)

// thoughtTag returns the first reasoning tag in an answer, plain or escaped.
func thoughtTag(answer []byte) string {
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\/`, "/").Replace(string(answer))
	first, found := len(plain), ""
	for _, tag := range thinkTags {
		if at := strings.Index(plain, tag); at >= 0 && at < first {
			first, found = at, tag
		}
	}
	return found
}

var thinkTags = slices.Concat(model.ThinkTags())

func (w *dialectRecorder) dialect() dialect {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := append(append([]byte(nil), w.begin...), w.rest...)
	var s dialect
	if found := thoughtField.FindSubmatch(all); found != nil {
		s.field = string(found[1])
	} else {
		s.field = thoughtTag(all)
	}
	s.countsCached = cachedTokens.Match(all)
	return s
}
