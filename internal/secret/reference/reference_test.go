package reference_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/reference"
)

func TestReferencesAreFoundOnceAndInOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                  {},
		"plain $TOKEN {{x}} ${x} $ {{":      {},
		"${{ secrets.A }}":                  {"A"},
		"${{secrets.A}}":                    {"A"},
		"${{\tsecrets.A\t}}":                {"A"},
		"x${{ secrets.B }}y${{secrets.A}}z": {"B", "A"},
		"${{ secrets.A }}${{ secrets.A }}":  {"A"},
		"$${{ secrets.A_1 }}}}":             {"A_1"},
	} {
		names, err := reference.References(text)
		require.NoError(t, err, text)
		require.Equal(t, want, names, text)
	}
}

func TestWhatOnlyLooksLikeAReferenceIsAProblem(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"${{", "${{ }}", "${{ secrets. }}", "${{ secrets.a }}", "${{ secrets.1A }}", "${{ secrets.A", "${{ secrets.A }", "${{ Secrets.A }}", "${{ env.A }}",
		"${{ secrets.A || secrets.B }}", "${{ secrets .A }}", "${{ secrets['A'] }}", "${{\nsecrets.A }}", "${{ secrets.A\u00a0}}", "${{ ${{ secrets.A }} }}",
		"${{ secrets." + strings.Repeat("A", 65) + " }}", "ok ${{ secrets.A }} then ${{ secrets.b }}", "${{" + strings.Repeat(" ", 9) + "secrets.A }}",
	} {
		_, err := reference.References(text)
		require.True(t, problem.Is(err, problem.Invalid), text)
		_, err = reference.Fill(text, map[string]secret.Value{"A": secret.NewValue("x")})
		require.Error(t, err, text)
	}
}

func TestValuesAreFilledInOnceAndNotReadAgain(t *testing.T) {
	t.Parallel()
	values := map[string]secret.Value{"A": secret.NewValue("${{ secrets.B }}"), "B": secret.NewValue("hidden")}
	filled, err := reference.Fill("a=${{ secrets.A }};", values)
	require.NoError(t, err)
	require.Equal(t, "a=${{ secrets.B }};", filled)
	_, err = reference.Fill("${{ secrets.MISSING }}", values)
	require.True(t, problem.Is(err, problem.Invalid))
}

func TestDeclaredVariablesAreExactlyOneReference(t *testing.T) {
	t.Parallel()
	env, err := reference.ParseEnv(
		map[string]string{"TOKEN": "${{ secrets.API_TOKEN }}", "same": "${{secrets.API_TOKEN}}", "_X": "${{ secrets.X }}"},
	)
	require.NoError(t, err)
	require.Equal(t, []string{"API_TOKEN", "X"}, env.Names())
	require.Equal(t, map[string]string{"TOKEN": "__SECRET_API_TOKEN__", "same": "typed", "_X": "__SECRET_X__"},
		env.Placeholders(map[string]secret.Value{"same": secret.NewValue("typed"), "other": secret.NewValue("ignored")}))
	filled, err := env.Fill(map[string]secret.Value{"API_TOKEN": secret.NewValue("t"), "X": secret.NewValue("x")})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"TOKEN": "t", "same": "t", "_X": "x"}, filled)
	_, err = env.Fill(map[string]secret.Value{"X": secret.NewValue("x")})
	require.True(t, problem.Is(err, problem.Invalid))

	_, err = reference.ParseEnv(map[string]string{
		"1A": "${{ secrets.A }}", "A-B": "${{ secrets.A }}", "": "${{ secrets.A }}", "PLAIN": "value", "MORE": "x${{ secrets.A }}",
		"TWO": "${{ secrets.A }}${{ secrets.B }}", "OPEN": "${{ secrets.A", "LOW": "${{ secrets.a }}",
	})
	require.True(t, problem.Is(err, problem.Invalid))
	require.Len(t, problem.As(err).Issues, 8)
}

func FuzzReferences(f *testing.F) {
	for _, seed := range []string{"", "${{ secrets.A }}", "x${{secrets.AB_1}}${{", "}}${{ secrets.a }}", "${{${{ secrets.A }}", "\xff${{ secrets.A }}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names, err := reference.References(text)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid))
			return
		}
		values, back := map[string]secret.Value{}, map[string]secret.Value{}
		for _, name := range names {
			require.True(t, reference.ValidName(name))
			values[name], back[name] = secret.NewValue("<"+name+">"), secret.NewValue("")
		}
		filled, err := reference.Fill(text, values)
		require.NoError(t, err)
		require.NotContains(t, filled, "${{")
		for _, name := range names {
			require.Contains(t, filled, "<"+name+">")
		}
		if len(names) == 0 {
			require.Equal(t, text, filled)
		}
	})
}
