package worker

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"google.golang.org/protobuf/encoding/protojson"

	"countersign/activities"
	"countersign/modules/automation"
	"countersign/modules/modelcheck"
	"countersign/modules/oncall"
)

// bound are the types of what is bound to each step.
type bound map[string]reflect.Type

func (b bound) RegisterActivityWithOptions(a any, o activity.RegisterOptions) {
	b[o.Name] = reflect.TypeOf(a)
}

func (b bound) in(step string) reflect.Type  { return b[step].In(1) }
func (b bound) out(step string) reflect.Type { return b[step].Out(0) }

func allBound() bound {
	b := bound{}
	bindTurn(b, &activities.Turn{})
	bindProposal(b, &activities.Proposal{})
	bindRetention(b, &activities.Retention{})
	bindScript(b, &activities.Script{})
	modules := slices.Concat((&modelcheck.Module{}).Workflows(), (&oncall.Module{}).Workflows(), (&automation.Module{}).Workflows())
	for _, r := range modules {
		for _, s := range r.Steps {
			b[s.Name] = reflect.TypeOf(s.Code)
		}
	}
	bindChecks(b, &activities.Checks{})
	return b
}

// This is what keeps an activity that is bound to another step from compiling.
func TestEveryStepHasTypesOfItsOwn(t *testing.T) {
	t.Parallel()
	steps, seen := allBound(), map[reflect.Type]string{}
	for name := range steps {
		for _, of := range []reflect.Type{steps.in(name), steps.out(name)} {
			require.Empty(t, seen[of], "%s is of %s already", of, name)
			require.Equal(t, reflect.Struct, of.Kind(), "a field can be added to a struct without breaking a history")
			seen[of] = name
		}
	}
}

// A step that no longer reads what an older version has written breaks the workflows that run while it is deployed.
func TestStepsTakeAndAnswerWhatHistoriesHold(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "workflows", "testdata", "*", "*.json"))
	require.NoError(t, err)
	steps, read := allBound(), map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var h history.History
		require.NoError(t, protojson.Unmarshal(text, &h), file)
		scheduled := map[int64]string{}
		for _, e := range h.GetEvents() {
			if s := e.GetActivityTaskScheduledEventAttributes(); s != nil {
				name := s.GetActivityType().GetName()
				scheduled[e.GetEventId()] = name
				same(t, file, steps.in(name), s.GetInput())
			}
			if c := e.GetActivityTaskCompletedEventAttributes(); c != nil {
				same(t, file, steps.out(scheduled[c.GetScheduledEventId()]), c.GetResult())
			}
			if m := e.GetMarkerRecordedEventAttributes(); m.GetMarkerName() == "LocalActivity" && m.GetFailure() == nil {
				var local struct{ ActivityType string }
				require.NoError(t, json.Unmarshal(m.GetDetails()["data"].GetPayloads()[0].GetData(), &local))
				scheduled[e.GetEventId()] = local.ActivityType
				same(t, file, steps.out(local.ActivityType), m.GetDetails()["result"])
			}
		}
		for _, name := range scheduled {
			read[name] = true
		}
	}
	for name := range steps {
		require.True(t, read[name], "%s is in no recorded history", name)
	}
}

// same checks that a value is of a type with nothing left over, and is written again as it was.
func same(t *testing.T, file string, of reflect.Type, payloads *common.Payloads) {
	t.Helper()
	require.Len(t, payloads.GetPayloads(), 1, file)
	raw := payloads.GetPayloads()[0].GetData()
	value := reflect.New(of).Interface()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(value), "%s: %s of %s", file, raw, of)
	again, err := json.Marshal(value)
	require.NoError(t, err)
	require.JSONEq(t, string(raw), string(again), "%s: %s", file, of)
}
