package stream

import (
	"slices"
	"strings"
)

// mostDelta bounds a coalesced delta, in bytes of its chunk.
const mostDelta = 16 << 10

// coalesce merges consecutive deltas of the same part, with the seq of the last: a turn has one row for all text
// between two flushes. Readers get a flush at once, so merging adds no latency; a client that continues behind an event
// continues behind all merged ones.
func coalesce(events []Event) []Event {
	kept := events[:0]
	for i := 0; i < len(events); {
		e, last := events[i], i+1
		if head := deltaHead(e.Chunk); head != "" {
			size := len(e.Chunk)
			for last < len(events) && goesOn(events[last-1], events[last], head) && size+len(events[last].Chunk)-len(head) <= mostDelta {
				size += len(events[last].Chunk) - len(head)
				last++
			}
			if last > i+1 {
				e = joined(events[i:last], head, size)
			}
		}
		kept, i = append(kept, e), last
	}
	return slices.Clip(kept)
}

// goesOn reports whether an event is the next delta of the same part. A gap between their counts belongs to a record.
func goesOn(before, e Event, head string) bool {
	return e.Seq == before.Seq+1 && e.Step == before.Step && strings.HasPrefix(e.Chunk, head)
}

func joined(deltas []Event, head string, size int) Event {
	var b strings.Builder
	b.Grow(size)
	b.WriteString(head)
	for _, d := range deltas {
		b.WriteString(strings.TrimSuffix(d.Chunk[len(head):], deltaTail))
	}
	b.WriteString(deltaTail)
	whole := deltas[len(deltas)-1]
	whole.Chunk = b.String()
	return whole
}

// deltaTail ends a chunk whose last member is a string.
const deltaTail = `"}`

// deltaHead is the start of a delta's chunk up to its text, "" for other chunks. Chunks have the form of encode, so
// that texts can be joined unchanged: neither ids nor text hold an unescaped quote.
func deltaHead(chunk string) string {
	var member string
	switch kindOf(chunk) {
	case typeTextDelta, typeReasoningDelta:
		member = `","delta":"`
	case typeToolInputDelta:
		member = `","inputTextDelta":"`
	default:
		return ""
	}
	i := strings.Index(chunk, member)
	if i < 0 || !strings.HasSuffix(chunk, deltaTail) {
		return ""
	}
	return chunk[:i+len(member)]
}
