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

// maxSeen bounds what is kept of each end of an answer.
const maxSeen = 32 << 10

// witness keeps the beginning and the end of what a provider sends, to tell in whose words it came.
type witness struct {
	next http.RoundTripper

	mu          sync.Mutex
	begin, rest []byte
}

func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.next.RoundTrip(r)
	if err == nil {
		response.Body = &witnessed{response.Body, w}
	}
	return response, err
}

type witnessed struct {
	io.ReadCloser
	by *witness
}

func (b *witnessed) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.by.keep(p[:max(n, 0)])
	return n, err
}

func (w *witness) keep(piece []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	room := min(maxSeen-len(w.begin), len(piece))
	w.begin = append(w.begin, piece[:room]...)
	if w.rest = append(w.rest, piece[room:]...); len(w.rest) > 2*maxSeen {
		w.rest = append([]byte(nil), w.rest[len(w.rest)-maxSeen:]...)
	}
}

// sighting is what was seen of an answer.
type sighting struct {
	// field is the member that thoughts came in, or the tag; empty when none was seen.
	field string
	// told says whether the provider counts tokens from its cache.
	told bool
}

var (
	thoughtField = regexp.MustCompile(
		`"(reasoning_content|reasoning_details|thinking_blocks|reasoning_text|reasoning|thinking|summary)"\s*:\s*(?:"[^"]|\[\s*[^\]\s]|\{)`,
	)
	cachedTokens = regexp.MustCompile(`"(?:cached_tokens|prompt_cache_hit_tokens|cache_read_input_tokens)"\s*:\s*\d`)
)

// thoughtTag is the first tag of thoughts in an answer, as it stands there or in the escapes of JSON.
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

func (w *witness) seen() sighting {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := append(append([]byte(nil), w.begin...), w.rest...)
	var s sighting
	if found := thoughtField.FindSubmatch(all); found != nil {
		s.field = string(found[1])
	} else {
		s.field = thoughtTag(all)
	}
	s.told = cachedTokens.Match(all)
	return s
}
