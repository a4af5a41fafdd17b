package audit_test

import (
	"testing"

	"countersign/api/apitest"
	"countersign/audit"
)

const chatRead = "ai.chat.read"

func TestTheAuditLogConforms(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	log := audit.NewLog(server.DB, nil, chatRead)
	server.Mount(t, log)
	apitest.Conform(t, apitest.Subject{
		Server: server, Module: log, Foreign: []string{chatRead},
		Unpaged: map[string]string{"/api/ai/audit/tools": "as many as there are tools", "/api/ai/audit/types": "fixed by the version"},
	})
}
