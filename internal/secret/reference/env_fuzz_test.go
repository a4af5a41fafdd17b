package reference_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/reference"
)

// A declaration that is taken is one reference and nothing else, for whoever reads it.
func FuzzEnvIsOneReferenceOrRefused(f *testing.F) {
	for _, seed := range []string{"${{ secrets.A }}", "${{secrets.A_1}}", "${{ secrets.A }}\n", "${{ secrets.A }}${{ secrets.B }}", "${{ ${{ secrets.A }}", "}}"} {
		f.Add("TOKEN", seed)
	}
	f.Add("TOKEN\n", "${{ secrets.A }}")
	f.Add("=", "${{\tsecrets.A\t}}")
	f.Fuzz(func(t *testing.T, variable, text string) {
		env, err := reference.ParseEnv(map[string]string{variable: text})
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid))
			require.Equal(t, "secretEnv."+variable, problem.As(err).Issues[0].Path)
			return
		}
		require.Regexp(t, `\A[A-Za-z_][A-Za-z0-9_]*\z`, variable)
		names, err := reference.References(text)
		require.NoError(t, err)
		require.Equal(t, env.Names(), names)
		require.Len(t, names, 1)
		values := map[string]secret.Value{names[0]: secret.NewValue("v${{ secrets.B }}")}
		filled, err := reference.Fill(text, values)
		require.NoError(t, err)
		require.Equal(t, "v${{ secrets.B }}", filled, "nothing stands around it, and a value is not read again")
		variables, err := env.Fill(values)
		require.NoError(t, err)
		require.Equal(t, map[string]string{variable: filled}, variables)
		require.NotContains(t, env.Placeholders(nil)[variable], "$")
	})
}
