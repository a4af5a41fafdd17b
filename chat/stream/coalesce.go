package stream

import (
	"slices"
	"strings"
)

// mostDelta bounds what is put into one delta, in bytes of its chunk.
const mostDelta = 16 << 10

// coalesce puts deltas of the same part that follow each other into one, whose seq is that of the last of them: a turn has one row
// for all that its model has said between two flushes. Readers get what a flush holds at once, so nobody waits longer for it; who
// continues behind an event continues behind all that it stands for.
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

// goesOn reports whether an event is the delta that follows another of the same part. A gap between their counts is a record's.
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

// deltaHead is what a chunk begins with up to the text that it adds, "" for one that is no delta. Chunks are as encode writes them, so
// that the text of one can be put behind that of another as it stands: neither its ids nor its text hold a quote that is not escaped.
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
