// Package corpus reads samples of responses by real providers and servers, with the correct decoding of each.
//
// A file holds the samples of one provider. A sample begins with a line "=== " and its name. Lines of the form "key:
// value" follow: the source (a page of documentation, or a repository with a path, an issue or a pull request), and
// where they matter the HTTP status, headers, and how the body is written ("as: cr", "crlf" or "gzip"). Behind "---
// wire" stands the body, behind "--- reading" the expected decoding. Prose is replaced by words of our own, and long
// answers are shortened. A sample whose source is a page of documentation is not recorded, but written as the page
// describes it; it names its confirmation.
package corpus

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Sample is one answer of one provider.
type Sample struct {
	Provider, Name, Source, Note string
	// Confirmed is what confirms a sample that is not recorded: "report", a public report of a failure after which its bytes
	// were made; "page", the page itself; "clients", the wording in the code of
	// several public clients; "standard", a standard.
	Confirmed string
	Status    int
	Header    http.Header
	Body      []byte
	Reading   Reading
}

// Reading is the expected decoding of a sample. Without a Failure the answer is complete.
type Reading struct {
	Text, Thoughts string
	// Calls are names and arguments. An empty id stands for one that the provider did not send.
	Calls  []Call
	Input  int
	Output int
	Finish string
	// Failure is the class, Reason its reason, Lead the sentence that a person reads first.
	Failure, Reason, Lead string
	// Says is a part of the message.
	Says      string
	Retryable bool
	After     time.Duration
}

// Call is a tool call.
type Call struct{ ID, Name, Arguments string }

// Load reads all files of a folder.
func Load(folder fs.FS) ([]Sample, error) {
	names, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, fmt.Errorf("list corpus: %w", err)
	}
	var all []Sample
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("read corpus: %w", err)
		}
		samples, err := Parse(strings.TrimSuffix(name, ".txt"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, samples...)
	}
	return all, nil
}

// Parse reads the samples of one file.
func Parse(provider, text string) ([]Sample, error) {
	const (
		begin, wire, reading = "=== ", "--- wire\n", "--- reading\n"
	)
	var samples []Sample
	_, text, _ = strings.Cut("\n"+text, "\n"+begin)
	for part := range strings.SplitSeq(text, "\n"+begin) {
		head, rest, ok := strings.Cut(part, wire)
		body, judged, judgedToo := strings.Cut(rest, reading)
		name, fields, named := strings.Cut(head, "\n")
		if !ok || !judgedToo || !named {
			return nil, fmt.Errorf("sample %q is not complete", name)
		}
		s := Sample{Provider: provider, Name: name, Status: http.StatusOK, Header: http.Header{}}
		as := ""
		err := each(fields, func(key, value string) (err error) {
			switch key {
			case "source":
				s.Source = value
			case "confirmed":
				s.Confirmed = value
			case "note":
				s.Note = value
			case "status":
				s.Status, err = strconv.Atoi(value)
			case "header":
				header, content, _ := strings.Cut(value, ": ")
				s.Header.Add(header, content)
			case "as":
				as = value
			default:
				err = fmt.Errorf("unknown key %q", key)
			}
			return err
		})
		if err == nil {
			s.Body, err = written(body, as)
		}
		if err == nil {
			s.Reading, err = judgement(judged)
		}
		if err != nil {
			return nil, fmt.Errorf("sample %q: %w", name, err)
		}
		samples = append(samples, s)
	}
	return samples, nil
}

// each calls field for each line "key: value".
func each(lines string, field func(key, value string) error) error {
	for line := range strings.Lines(lines) {
		line = strings.TrimRight(line, "\n")
		if line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("no key in %q", line)
		}
		if err := field(key, strings.TrimPrefix(value, " ")); err != nil {
			return err
		}
	}
	return nil
}

// written encodes the body for the wire.
func written(body, as string) ([]byte, error) {
	switch as {
	case "":
		return []byte(body), nil
	case "cr":
		return []byte(strings.ReplaceAll(body, "\n", "\r")), nil
	case "crlf":
		return []byte(strings.ReplaceAll(body, "\n", "\r\n")), nil
	case "gzip":
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		if _, err := w.Write([]byte(body)); err != nil {
			return nil, err
		}
		err := w.Close()
		return zipped.Bytes(), err
	default:
		return nil, fmt.Errorf("unknown form %q", as)
	}
}

func judgement(lines string) (Reading, error) {
	r := Reading{}
	err := each(lines, func(key, value string) (err error) {
		switch key {
		case "text":
			r.Text, err = strconv.Unquote(value)
		case "thoughts":
			r.Thoughts, err = strconv.Unquote(value)
		case "call":
			id, rest, _ := strings.Cut(value, " ")
			name, arguments, _ := strings.Cut(rest, " ")
			r.Calls = append(r.Calls, Call{strings.TrimPrefix(id, "-"), name, arguments})
		case "usage":
			_, err = fmt.Sscan(value, &r.Input, &r.Output)
		case "finish":
			r.Finish = value
		case "failure":
			r.Failure, r.Reason, _ = strings.Cut(value, " ")
		case "lead":
			r.Lead = value
		case "says":
			r.Says = value
		case "retryable":
			r.Retryable, err = strconv.ParseBool(value)
		case "after":
			r.After, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		return err
	})
	return r, err
}
