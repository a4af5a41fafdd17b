package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutagesAreChosenByName(t *testing.T) {
	t.Parallel()
	o, err := parseOptions([]string{"-outages", "-scenario", "temporal-away,postgres-cut"})
	require.NoError(t, err)
	x := &outages{options: o, disk: &disk{}, postgres: &stand{}, temporal: &stand{}}
	var ids []string
	for _, b := range x.list() {
		ids = append(ids, b.id)
	}
	require.Equal(t, []string{"postgres-cut", "temporal-away"}, ids)

	_, err = parseOptions([]string{"-outages", "-scenario", "temporal"})
	require.ErrorContains(t, err, "temporal-away", "it says which there are")
}

func TestEveryOutageHasItsName(t *testing.T) {
	t.Parallel()
	x := &outages{disk: &disk{}, postgres: &stand{}, temporal: &stand{}}
	var ids []string
	for _, b := range x.list() {
		ids = append(ids, b.id)
	}
	require.Equal(t, outageNames(), ids)
}
