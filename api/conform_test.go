package api_test

import (
	"testing"

	"go.temporal.io/sdk/converter"

	"countersign/api"
	"countersign/api/apitest"
	"countersign/tool/proposal"
)

func TestTheSettingsConform(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	module := &api.Settings{Version: "test"}
	server.Mount(t, module)
	apitest.Conform(t, apitest.Subject{Server: server, Module: module})
}

// What the API serves beside the modules keeps what modules keep.
func TestTheOtherPartsConform(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]apitest.Subject{
		"gate":      {Module: &api.Gate{}, Unpaged: map[string]string{"/api/ai/operations": "no more than there are operations"}},
		"tools":     {Module: &api.Tools{}, Unpaged: map[string]string{"/api/ai/tools": "a model is told of all of them"}},
		"proposals": {Module: &api.Proposals{}, Widening: map[string]string{proposal.ManageRule: "its holder sees and decides about what others propose"}},
		"privacy":   {Module: &api.Privacy{}, Foreign: []string{api.PrivacyRule, api.RetentionRule}},
		"codec":     {Module: &api.Codec{Codec: converter.NewZlibCodec(converter.ZlibCodecOptions{})}, Foreign: []string{api.PayloadRule}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Server = apitest.New(t)
			s.Foreign = append(s.Foreign, api.ChatRule)
			s.Server.Mount(t, s.Module.(api.Routes))
			apitest.Conform(t, s)
		})
	}
}
