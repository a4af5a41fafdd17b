package password_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/auth/password"
)

func TestWhatAttackersTryFirstIsGuessable(t *testing.T) {
	t.Parallel()
	about := []string{"ada.lovelace@analytical.example", "Ada Lovelace"}
	for _, plain := range []string{
		"password", "Password1!", "P@ssw0rd", "passw0rd1", "password123", "12345678", "1234567890", "87654321",
		"qwertyuiop", "qwerty123", "1q2w3e4r", "1qaz2wsx",
		"iloveyou", "welcome2024", "Summer2026!", "letmein1", "aaaaaaaa", "11112222", "abcdefgh", "administrator",
		"admin1234", "adminadmin", "changeme", "changeme123",
		"trustno1!", "football", "test1234", "countersign", "Countersign1", "ada.lovelace@analytical.example",
		"ada.lovelace", "AdaLovelace1", "lovelace1815", "lovelace!", "Analytical1",
		strings.Repeat("a", 200),
	} {
		require.True(t, password.Guessable(plain, about...), plain)
	}
	for _, plain := range []string{
		"correct horse battery", "hunter2hunter2", "a password of my own", "vX3-kfw9-plum",
		"Zwölf Boxkämpfer jagen", "吾輩は猫である名前はまだ無い",
	} {
		require.False(t, password.Guessable(plain, about...), plain)
	}
}
