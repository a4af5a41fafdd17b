package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"countersign/internal/problem"
)

// MaxName bounds the dotted name of a tool, in bytes.
const MaxName = 160

// Maker is the record that holds a custom tool: its authors wrote the texts for models. Type and Name identify the
// object that people know, such as the agent of a revision.
type Maker struct {
	ID         uuid.UUID
	Type, Name string
}

// madeName matches the name of a custom tool: source, owner and tool. A hidden tool has no third part, and stands for
// all tools of its owner.
var madeName = regexp.MustCompile(`^[a-z][a-zA-Z]{1,30}(\.[a-z0-9][a-z0-9_-]{0,63}){1,2}$`)

// running counts the running calls of each custom tool in this process, by name.
var running sync.Map

// NewMade makes a tool that a user defines at runtime from its code. The error is about its name.
func NewMade(d Definition, code Implementation) (Tool, error) {
	if !madeName.MatchString(d.Name) || len(d.Name) > MaxName {
		return Tool{}, fmt.Errorf("tool %q: the name must look like agent.owner.name", d.Name)
	}
	t := New(d, code)
	// Each turn creates its tools; they share the counter of hanging calls by name.
	hung, _ := running.LoadOrStore(d.Name, t.hung)
	t.hung, _ = hung.(*atomic.Int32)
	t.made = true
	return t, nil
}

// Made reports whether a user defined the tool at runtime.
func (t Tool) Made() bool { return t.made }

// current refuses to apply a proposal of another version of the tool. A proposal without a revision was made of a read,
// by a process of an older build, and changes nothing either.
func (t Tool) current(ctx context.Context, c Caller) error {
	if t.Identity.Version == "" || c.Client == nil || c.Client.IfMatch == t.Identity.Version {
		return nil
	}
	if c.Client.IfMatch == "" && (t.Effect == Read || Carried(ctx) != t.Name) {
		return nil
	}
	return problem.Errorf(
		problem.Precondition,
		"The tool %s has changed since this was proposed: another revision of its agent is live, or its server or an "+
			"administrator has changed it. So nothing was done. Ask for it again to see it with the tool as it is now.",
		t.Name,
	)
}

// maxWire bounds names on the wires of providers.
const maxWire = 64

// WireName is the name on provider wires, which allow no dots and 64 characters. A longer one ends in a hash of all of it.
func (t Tool) WireName() string { return WireNameOf(t.Name) }

// WireNameOf returns the wire name of a dotted name. It is plain where the dotted name follows from it. Otherwise it
// ends in a hash of the dotted name: where it is too long, where underscores within the owner would make it another
// tool's name, and where it looks like a name with a hash. So no user can choose another tool's wire name.
func WireNameOf(name string) string {
	wire := strings.ReplaceAll(name, ".", "_")
	_, rest, _ := strings.Cut(name, ".")
	owner, _, _ := strings.Cut(rest, ".")
	if len(wire) <= maxWire && !strings.Contains(owner, "_") && !hashed.MatchString(wire) {
		return wire
	}
	sum := sha256.Sum256([]byte(name))
	return wire[:min(len(wire), WirePrefix)] + "_" + hex.EncodeToString(sum[:WireHash/2])
}

// PlainName returns the dotted name of a custom tool with this wire name; false for a wire name with a hash.
func PlainName(wire string) (string, bool) {
	name := strings.Replace(wire, "_", ".", 2)
	return name, madeName.MatchString(name) && WireNameOf(name) == wire
}

// WirePrefix and WireHash are the lengths of the name and of the hexadecimal hash in a long wire name.
const (
	WireHash   = 16
	WirePrefix = maxWire - WireHash - 1
)

var hashed = regexp.MustCompile(`_[0-9a-f]{` + strconv.Itoa(WireHash) + `}$`)
