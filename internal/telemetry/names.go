package telemetry

import "go.opentelemetry.io/otel/attribute"

// The names of attributes, in one place. Those of HTTP, databases and errors are from the semantic conventions 1.37; those
// of models and tools from the GenAI conventions, which are still being developed.
const (
	ErrorType = attribute.Key("error.type")

	HTTPMethod = attribute.Key("http.request.method")
	HTTPRoute  = attribute.Key("http.route")
	HTTPStatus = attribute.Key("http.response.status_code")

	DBSystem    = attribute.Key("db.system.name")
	DBOperation = attribute.Key("db.operation.name")

	ServerAddress = attribute.Key("server.address")

	GenAIOperation    = attribute.Key("gen_ai.operation.name")
	GenAIProvider     = attribute.Key("gen_ai.provider.name")
	GenAIRequestModel = attribute.Key("gen_ai.request.model")
	GenAIFinish       = attribute.Key("gen_ai.response.finish_reasons")
	GenAIInput        = attribute.Key("gen_ai.usage.input_tokens")
	GenAIOutput       = attribute.Key("gen_ai.usage.output_tokens")
	GenAIFirstChunk   = attribute.Key("gen_ai.response.time_to_first_chunk")
	GenAITool         = attribute.Key("gen_ai.tool.name")

	// ToolPhase is the phase of a tool call: run, dry_run or apply.
	ToolPhase = attribute.Key("countersign.tool.phase")
	// InProcess marks a request that a tool makes on behalf of a person.
	InProcess = attribute.Key("countersign.request.in_process")
)
