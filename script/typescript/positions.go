package typescript

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// offset is the source-map member for the number of lines before the author's source.
const offset = "x_countersign_lines"

// Positions maps the JavaScript of a Compiled to the author's source.
type Positions struct {
	// lines are the segments of each line of the JavaScript, by column.
	lines [][]segment
}

// segment begins at a column of the JavaScript, from 0, and maps to a position of the author's source. Line is 0 for
// generated code.
type segment struct {
	from         int
	line, column int
}

// NewPositions parses the SourceMap of a Compiled.
func NewPositions(sourceMap []byte) (*Positions, error) {
	var m struct {
		Version  int      `json:"version"`
		Sources  []string `json:"sources"`
		Mappings string   `json:"mappings"`
		Lines    int      `json:"x_countersign_lines"`
	}
	if err := json.Unmarshal(sourceMap, &m); err != nil {
		return nil, fmt.Errorf("read source map: %w", err)
	}
	if m.Version != 3 {
		return nil, fmt.Errorf("read source map: version %d is not known", m.Version)
	}
	p := &Positions{}
	// Each number is the difference to the one before it, across lines for all but the column of the JavaScript.
	var source, line, column int
	for mapped := range strings.SplitSeq(m.Mappings, ";") {
		var segments []segment
		from := 0
		for encoded := range strings.SplitSeq(mapped, ",") {
			if encoded == "" {
				continue
			}
			numbers, err := decodeNumbers(encoded)
			if err != nil {
				return nil, fmt.Errorf("read source map: %w", err)
			}
			from += numbers[0]
			next := segment{from: from}
			if len(numbers) >= 4 {
				source, line, column = source+numbers[1], line+numbers[2], column+numbers[3]
				if source >= 0 && source < len(m.Sources) && strings.HasSuffix(m.Sources[source], authorFile) {
					next.line, next.column = line+1-m.Lines, column+1
				}
			}
			segments = append(segments, next)
		}
		p.lines = append(p.lines, segments)
	}
	return p, nil
}

// Author maps a position in the JavaScript to the author's source, lines and columns from 1. ok is false for generated
// code.
func (p *Positions) Author(line, column int) (authorLine, authorColumn int, ok bool) {
	if line < 1 || line > len(p.lines) {
		return 0, 0, false
	}
	segments := p.lines[line-1]
	i, exact := slices.BinarySearchFunc(segments, column-1, func(s segment, from int) int { return cmp.Compare(s.from, from) })
	if !exact {
		i--
	}
	if i < 0 || segments[i].line < 1 || segments[i].column < 1 {
		return 0, 0, false
	}
	return segments[i].line, segments[i].column, true
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

var errMapping = errors.New("a mapping is malformed")

// decodeNumbers decodes base64 VLQ: groups of five bits, the lowest first. The sixth bit says that a group follows, the
// lowest bit of a number is its sign.
func decodeNumbers(encoded string) ([]int, error) {
	var numbers []int
	number, shift := 0, 0
	for _, c := range []byte(encoded) {
		digit := strings.IndexByte(digits, c)
		if digit < 0 || shift > 30 {
			return nil, errMapping
		}
		number |= digit & 31 << shift
		shift += 5
		if digit&32 != 0 {
			continue
		}
		if number&1 != 0 {
			number = -number
		}
		numbers = append(numbers, number/2)
		number, shift = 0, 0
	}
	if shift != 0 || len(numbers) == 0 {
		return nil, errMapping
	}
	return numbers, nil
}

// describe records the line offset in a source map.
func describe(sourceMap []byte, wrapped bool) []byte {
	if !wrapped {
		return sourceMap
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(sourceMap, &members) != nil {
		return sourceMap
	}
	members[offset] = json.RawMessage("1")
	described, err := json.Marshal(members)
	if err != nil {
		return sourceMap
	}
	return described
}
