package tool_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/tool"
)

var madeNames = regexp.MustCompile(`^agent(\.[a-z0-9][a-z0-9_-]{0,63}){1,2}$`)

// Whoever makes a tool chooses parts of its name. Whatever they choose, it is no other tool's on the wire, and the wire name
// leads back to that tool alone.
func wireNameIsItsOwn(t *testing.T, names ...string) {
	t.Helper()
	wires := map[string]string{}
	for _, name := range names {
		wire := tool.WireNameOf(name)
		require.LessOrEqual(t, len(wire), 64)
		require.Regexp(t, `^[a-zA-Z0-9_-]+$`, wire)
		if other, taken := wires[wire]; taken {
			require.Equal(t, other, name, "two tools are called %s", wire)
		}
		wires[wire] = name
		if back, plain := tool.PlainName(wire); plain {
			require.Equal(t, name, back)
		} else {
			sum := sha256.Sum256([]byte(name))
			require.Equal(
				t,
				hex.EncodeToString(sum[:tool.WireHash/2]),
				wire[len(wire)-tool.WireHash:],
				"what is not plain ends in the hash of the whole name",
			)
		}
	}
}

// forged are the names that others can choose to be called like this one.
func forged(name string) []string {
	names := []string{name}
	sum := sha256.Sum256([]byte(name))
	all := hex.EncodeToString(sum[:])
	for n := 8; n <= 32; n += 2 {
		names = append(names, name+"_"+all[:n])
	}
	for _, known := range slices.Clone(names) {
		for _, wire := range []string{tool.WireNameOf(known), known} {
			for i := 1; i < len(wire); i++ {
				for j := i + 1; j <= len(wire); j++ {
					if !isBreak(wire[i]) || j < len(wire) && !isBreak(wire[j]) {
						continue
					}
					one := wire[:i] + "." + wire[i+1:]
					if j < len(wire) && j > i+1 {
						one = wire[:i] + "." + wire[i+1:j] + "." + wire[j+1:]
					}
					names = append(names, one)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return !madeNames.MatchString(n) })
}

func isBreak(b byte) bool { return b == '_' || b == '.' }

func TestNobodyChoosesTheWireNameOfAnothersTool(t *testing.T) {
	t.Parallel()
	// A tool vic.tim_pay_<hash> had the wire name of vic_tim.pay, which ends in that hash.
	require.NotEqual(t, tool.WireNameOf("agent.vic_tim.pay"), tool.WireNameOf("agent.vic.tim_pay_4da6c0ce16db"))
	sum := sha256.Sum256([]byte("agent.vic_tim.pay"))
	hash := hex.EncodeToString(sum[:])
	for n := 1; n <= 40; n++ {
		require.NotEqual(t, tool.WireNameOf("agent.vic_tim.pay"), tool.WireNameOf("agent.vic.tim_pay_"+hash[:n]))
	}
	for _, name := range []string{
		"agent.vic_tim.pay", "agent.vic.tim_pay", "agent.a_b", "agent.a.b", "agent.a", "agent.a.b_c", "agent.a_b.c", "agent.a_b_c",
		"agent.a_very_long_slug_of_an_agent_that_goes_on_and_on_to_the_end.echo_and_more", "agent.x.0123456789abcdef", "agent.x.y_0123456789abcdef", "agent.0123456789abcdef",
	} {
		wireNameIsItsOwn(t, forged(name)...)
	}
}

func FuzzWireNames(f *testing.F) {
	f.Add("vic_tim", "pay", "vic", "tim_pay_4da6c0ce16db")
	f.Add("a", "b_c", "a_b", "c")
	f.Fuzz(func(t *testing.T, owner, name, otherOwner, otherName string) {
		one, other := fmt.Sprintf("agent.%s.%s", owner, name), fmt.Sprintf("agent.%s.%s", otherOwner, otherName)
		if !madeNames.MatchString(one) || !madeNames.MatchString(other) {
			return
		}
		wireNameIsItsOwn(t, append(forged(one), forged(other)...)...)
	})
}

// careless is a source that answers by a name that is not the tool's.
type careless struct{ workshop }

func (c *careless) Usable(context.Context, principal.Principal, string) (tool.Tool, bool, error) {
	return c.tools[0], true, nil
}

func TestWhatHasTheNameOfAnotherIsNotOffered(t *testing.T) {
	t.Parallel()
	r := registry(t)
	twice := []tool.Tool{
		made(t, "agent.billing.refund", tool.Read),
		made(t, "agent.billing.refund", tool.Read),
		made(t, "agent.billing.see", tool.Read),
	}
	require.NoError(t, r.AddSource(&workshop{tools: twice}))
	user := person("workshop.use")
	require.Equal(t, []string{"agent.billing.see"}, names(offered(t, r, user)), "neither is offered")

	r = registry(t)
	require.NoError(t, r.AddSource(&careless{workshop{tools: twice}}))
	_, err := r.Find(t.Context(), user, "agent_billing_see")
	require.Error(t, err, "it is called by its own names alone")
	found, err := r.Find(t.Context(), user, "agent_billing_refund")
	require.NoError(t, err)
	require.Equal(t, "agent.billing.refund", found.Name)
}

func TestALongNameIsCutOnTheWire(t *testing.T) {
	t.Parallel()
	require.Equal(t, "agent_billing_refund", tool.WireNameOf("agent.billing.refund"))
	require.NotEqual(t, tool.WireNameOf("agent.a_b.c"), tool.WireNameOf("agent.a.b_c"), "they are two tools")
	require.Equal(t, "agent_a_b_c", tool.WireNameOf("agent.a.b_c"))
	long := "agent." + strings.Repeat("a", 40) + "." + strings.Repeat("b", 40)
	wire := tool.WireNameOf(long)
	require.Len(t, wire, 64)
	require.True(t, strings.HasPrefix(wire, strings.ReplaceAll(long, ".", "_")[:tool.WirePrefix]))
	require.NotEqual(t, wire, tool.WireNameOf(long+"c"))
}
