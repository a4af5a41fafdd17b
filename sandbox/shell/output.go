package shell

import (
	"bytes"
	"strings"

	"countersign/sandbox"
)

// maxLines bounds the lines kept individually; each costs more than its text.
const maxLines = 20_000

// output collects the output of a script, up to a limit.
type output struct {
	left           int
	cut            bool
	stdout, stderr bytes.Buffer
	logs           []sandbox.Log
	partly         [2]strings.Builder
}

// write appends output of stream 0 or 1.
func (o *output) write(stream int, b []byte) {
	if len(b) > o.left {
		b, o.cut = b[:o.left], true
	}
	o.left -= len(b)
	if stream == 0 {
		o.stdout.Write(b)
	} else {
		o.stderr.Write(b)
	}
	for len(b) > 0 {
		line, rest, ended := bytes.Cut(b, []byte("\n"))
		o.partly[stream].Write(line)
		if ended {
			o.line(stream)
		}
		b = rest
	}
}

func (o *output) line(stream int) {
	text := strings.ToValidUTF8(o.partly[stream].String(), "\uFFFD")
	o.partly[stream].Reset()
	if len(o.logs) >= maxLines {
		o.cut = true
		return
	}
	o.logs = append(o.logs, sandbox.Log{Level: [...]string{"stdout", "stderr"}[stream], Text: text})
}

// flush terminates unterminated lines.
func (o *output) flush() {
	for stream := range o.partly {
		if o.partly[stream].Len() > 0 {
			o.line(stream)
		}
	}
}
