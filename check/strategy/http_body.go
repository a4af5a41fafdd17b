package strategy

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"countersign/check"
)

const (
	// maxHTTPBody bounds the decoded body that a check looks at, in bytes.
	maxHTTPBody = 1 << 20
	// maxEncodedBody bounds the bytes read from the server for it. A compressed body is smaller as a rule.
	maxEncodedBody = mostReceived
	// maxCodings bounds the content codings that are applied to one body.
	maxCodings = 3
	// maxZstdMemory bounds the window of a zstd stream; RFC 8878, section 3.1.1.1.2, recommends 8 MB.
	maxZstdMemory = 8 << 20

	acceptEncoding = "gzip, deflate, br, zstd"
)

var (
	bodies  = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	gzippes = sync.Pool{New: func() any { return &gzipMembers{source: bufio.NewReader(nil)} }}
)

// sourceReader records the error of the transport, to tell it from an error of a content coding.
type sourceReader struct {
	io.Reader

	err error
	n   int64
}

// Read implements io.Reader.
func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// readBody reads and decodes the body of an answer into a result. The body holds the part before an error.
func (r *httpResult) readBody(answer *http.Response, address string) error {
	buffer, _ := bodies.Get().(*bytes.Buffer)
	buffer.Reset()
	source := &sourceReader{Reader: io.LimitReader(answer.Body, maxEncodedBody)}
	coding, unknown, err := fillDecoded(buffer, source, answer.Header.Values("Content-Encoding"))
	r.unknownCoding = clip(unknown, 40)
	if buffer.Len() > maxHTTPBody {
		buffer.Truncate(maxHTTPBody)
		r.BodyTruncated = true
	}
	r.BodyLength = buffer.Len()
	r.Body = textOfBody(buffer.Bytes(), answer.Header.Get("Content-Type"))
	if len(r.Body) > maxHTTPBody {
		r.Body, r.BodyTruncated = strings.ToValidUTF8(r.Body[:maxHTTPBody], ""), true
	}
	if buffer.Cap() <= 64<<10 {
		bodies.Put(buffer)
	}
	switch {
	case err == nil || r.BodyTruncated || source.n == 0 && source.err == nil:
		return nil
	case errors.Is(source.err, io.ErrUnexpectedEOF) && answer.ContentLength > 0:
		return check.Fail(check.Broken, fmt.Sprintf(
			"The body that %s answers with ended early: %d of %d bytes came.", address, source.n, answer.ContentLength,
		))
	case source.err != nil:
		return source.err
	default:
		says := "The body that " + address + " answers with is not valid " + coding + ", as its Content-Encoding says"
		if errors.Is(err, io.ErrUnexpectedEOF) && r.BodyLength > 0 {
			says += ": it ends early"
		}
		return check.Fail(check.BadProtocol, says+".")
	}
}

// fillDecoded reads at most one byte more than maxHTTPBody of the decoded body. Unknown codings are left as they are. It
// returns the outermost coding that was applied, and the one that was not.
func fillDecoded(into *bytes.Buffer, source io.Reader, headers []string) (outermost, unknown string, err error) {
	var codings []string
	for _, header := range headers {
		for coding := range strings.SplitSeq(header, ",") {
			if coding = strings.ToLower(strings.TrimSpace(coding)); coding != "" && coding != "identity" {
				codings = append(codings, coding)
			}
		}
	}
	if len(codings) == 0 || len(codings) > maxCodings {
		_, err := into.ReadFrom(io.LimitReader(source, maxHTTPBody+1))
		return "", strings.Join(codings, ", "), err
	}
	outermost = codings[len(codings)-1]
	for _, coding := range slices.Backward(codings) {
		decoded, done, err := decoder(coding, source)
		if err != nil {
			return coding, "", err
		}
		if decoded == nil {
			unknown = coding
			break
		}
		defer done()
		source = decoded
	}
	_, err = into.ReadFrom(io.LimitReader(source, maxHTTPBody+1))
	return outermost, unknown, err
}

// decoder returns the reader of a content coding of RFC 9110, section 8.4.1; nil for an unknown one.
func decoder(coding string, source io.Reader) (io.Reader, func(), error) {
	switch coding {
	case "gzip", "x-gzip":
		members, _ := gzippes.Get().(*gzipMembers)
		members.source.Reset(source)
		if err := members.next(); err != nil {
			return nil, nil, err
		}
		return members, func() { gzippes.Put(members) }, nil
	case "deflate":
		// Some servers send raw DEFLATE, without the zlib header that the RFC asks for.
		buffered := bufio.NewReader(source)
		head, err := buffered.Peek(2)
		if err != nil {
			return nil, nil, err
		}
		if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			reader, err := zlib.NewReader(buffered)
			return reader, func() {}, err
		}
		return flate.NewReader(buffered), func() {}, nil
	case "br":
		return brotli.NewReader(source), func() {}, nil
	case "zstd":
		reader, err := zstd.NewReader(
			source,
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxZstdMemory), zstd.WithDecoderMaxWindow(maxZstdMemory),
		)
		if err != nil {
			return nil, nil, err
		}
		return reader, reader.Close, nil
	default:
		return nil, nil, nil
	}
}

// gzipMembers reads the members of a gzip stream, and ignores what follows the last one, as browsers do: some servers pad it.
type gzipMembers struct {
	gzip.Reader

	source *bufio.Reader
}

// next begins with the next member.
func (g *gzipMembers) next() error {
	err := g.Reset(g.source)
	g.Multistream(false)
	return err
}

// Read implements io.Reader.
func (g *gzipMembers) Read(p []byte) (int, error) {
	n, err := g.Reader.Read(p)
	if n > 0 && errors.Is(err, io.EOF) {
		return n, nil
	}
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if head, _ := g.source.Peek(2); string(head) != "\x1f\x8b" {
		return 0, io.EOF
	}
	return 0, g.next()
}

// textOfBody decodes a body by its byte order mark, else by the charset that its header declares, else, for HTML that
// is not UTF-8, by its meta element. Everything else is taken for UTF-8.
func textOfBody(raw []byte, contentType string) string {
	if rest, marked := bytes.CutPrefix(raw, []byte("\xef\xbb\xbf")); marked {
		return strings.ToValidUTF8(string(rest), "\ufffd")
	}
	if e := charsetOf(raw, contentType); e != nil {
		if decoded, err := e.NewDecoder().Bytes(raw); err == nil {
			raw = decoded
		}
	}
	return strings.ToValidUTF8(string(raw), "\ufffd")
}

// charsetOf returns the encoding of a body; nil for UTF-8.
func charsetOf(raw []byte, contentType string) encoding.Encoding {
	if bytes.HasPrefix(raw, []byte("\xfe\xff")) || bytes.HasPrefix(raw, []byte("\xff\xfe")) {
		return unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM)
	}
	if strings.Contains(strings.ToLower(contentType), "charset") {
		if _, parameters, err := mime.ParseMediaType(contentType); err == nil {
			if e, err := htmlindex.Get(parameters["charset"]); err == nil && e != unicode.UTF8 {
				return e
			}
			return nil
		}
	}
	if strings.Contains(contentType, "html") && !utf8.Valid(raw) {
		e, _, _ := charset.DetermineEncoding(raw[:min(len(raw), 1024)], contentType)
		return e
	}
	return nil
}
