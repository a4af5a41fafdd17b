package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
	"countersign/model"
)

// It is refused before anything is dialled.
func TestAMetadataServiceIsNoModelServer(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"http://169.254.169.254/v1", "http://[::ffff:169.254.169.254]/v1", "http://metadata.google.internal/v1", "http://168.63.129.16/v1"} {
		_, err := model.New(
			model.Options{BaseURL: base},
		).Complete(
			t.Context(),
			model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}}},
		)
		var failure *model.Error
		require.ErrorAs(t, err, &failure, base)
		require.Equal(t, model.Invalid, failure.Class, base)
		require.ErrorIs(t, err, egress.ErrRefused, base)
		require.Contains(t, failure.Message, "Correct it in the connection's settings.")
	}
}
