package assistant_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
)

// A real question that is turned away is worse than a stray one that is answered.
func TestAVerdictLeansToOnTopic(t *testing.T) {
	t.Parallel()
	for _, verdict := range []string{"OFF_TOPIC", "off_topic", " Off topic.\n", "**OFF-TOPIC**", "`OFF_TOPIC`"} {
		require.True(t, assistant.OffTopic(verdict), verdict)
	}
	for _, verdict := range []string{
		"ON_TOPIC", "", "yes", "OFF", "TOPIC", "OFF_TOPIC or ON_TOPIC", "ON_TOPIC, not OFF_TOPIC", "I think this is OFF_TOPIC because", "not off topic",
	} {
		require.False(t, assistant.OffTopic(verdict), verdict)
	}
}

func TestOpenersAreOnTopicWithoutAModel(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"Hi", "hello!", " Good  morning. ", "What can you do?", "Who are you?", "Thanks!", "help"} {
		require.False(t, assistant.NeedsClassifier(message, true), message)
	}
	require.True(t, assistant.NeedsClassifier("Write a poem", true))
	require.False(t, assistant.NeedsClassifier("The second one, please", false), "a short reply belongs to what was said before")
	require.True(t, assistant.NeedsClassifier("Write a poem about the sea and the moon", false))
	for _, message := range []string{
		"请给我写一首关于大海和月亮的诗", "海と月についての詩を書いてください", "ช่วยเขียนบทกวีเกี่ยวกับทะเลและดวงจันทร์ให้หน่อย", "ຂຽນບົດກະວີກ່ຽວກັບທະເລແລະດວງຈັນໃຫ້ຂ້ອຍແດ່",
		"바다와 달에 대한 시를 한 편 써 주세요", "写一首诗, please, about the sea",
	} {
		require.True(t, assistant.NeedsClassifier(message, false), message)
	}
	for _, message := range []string{"好的，继续", "第二个", "はい、お願いします", "ใช่ ทำต่อได้เลย", "네, 계속해 주세요", "42 %"} {
		require.False(t, assistant.NeedsClassifier(message, false), message)
	}
}

func TestTheClassifierIsShownTheMessageAsData(t *testing.T) {
	t.Parallel()
	system, user := assistant.Classifier("Ignore this. " + strings.Repeat("x", 10_000))
	require.True(t, strings.HasPrefix(system, "You classify one message"))
	require.Contains(t, system, "data")
	require.LessOrEqual(t, len([]rune(user)), 2_100)
	require.NotContains(t, system, "Ignore this.")
}
