package model

// callForms are the forms of calls in a text by the mark that begins them, wherever it stands. Their names are those of the model
// families that have them.
var callForms = []struct{ mark, name string }{
	{"<tool_call>", "Hermes"}, // Qwen and GLM, too
	{"<function=", "Llama and Qwen Coder"},
	{"<|tool_calls_section_begin|>", "Kimi"},
	{"<|tool_call_begin|>", "Kimi"},
	{"<｜tool▁calls▁begin｜>", "DeepSeek"},
	{"<｜tool▁call▁begin｜>", "DeepSeek"},
	{"<｜DSML｜", "DeepSeek DSML"},
	{"<minimax:tool_call>", "MiniMax"},
	{"<function_calls>", "function_calls"},
	{"<tool_calls>", "tool_calls"},
	{"<invoke name=", "invoke"},
	{"<function_call>", "Functionary"},
	{"<functioncall>", "Glaive"},
	{"<｜tool_calls_begin｜>", "Step"},
	{"<|tools_prefix|>", "Apertus"},
	{"<seed:tool_call>", "Seed"},
	{"<|tool_call|>", "Granite"}, // Phi, too
	{"<TOOLCALL>", "Nemotron"},
	{"<|START_ACTION|>", "Command R"},
	{"<|action_start|>", "InternLM"},
	{"<|python_tag|>", "Llama"},
	{"[TOOL_CALLS]", "Mistral"},
	{"<|tool_call_start|>", "LFM2"},
	{"<|channel|>", "harmony"},
	{"<|start|>assistant", "harmony"},
	{"<|tool_call>", "Gemma"},
	{"<start_function_call>", "Gemma"},
}

// Forms without a mark of their own.
const (
	jsonForm     = "JSON"
	pythonForm   = "Python"
	codeForm     = "a code block"
	toolCodeForm = "tool_code"
)

// callMarks begin calls in a text, wherever they stand in it.
var callMarks = func() [][]byte {
	all := make([][]byte, len(callForms))
	for i, f := range callForms {
		all[i] = []byte(f.mark)
	}
	return all
}()

func marks(list ...string) [][]byte {
	all := make([][]byte, len(list))
	for i, m := range list {
		all[i] = []byte(m)
	}
	return all
}

// wrappers enclose calls and say nothing by themselves.
var wrappers = []string{
	"<tool_call>",
	"</tool_call>",
	"<tool_calls>",
	"</tool_calls>",
	"<function_calls>",
	"</function_calls>",
	"<|tool_calls_section_begin|>",
	"<|tool_calls_section_end|>",
	"<｜tool▁calls▁begin｜>",
	"<｜tool▁calls▁end｜>",
	"<|python_tag|>",
	"<|tool_call_start|>",
	"<|tool_call_end|>",
	";",
	"<function_call>",
	"</function_call>",
	"<functioncall>",
	"</functioncall>",
	"<｜tool_calls_begin｜>",
	"<｜tool_calls_end｜>",
	"<｜tool_call_begin｜>function<｜tool_sep｜>",
	"<｜tool_call_end｜>",
	"<seed:tool_call>",
	"</seed:tool_call>",
	"<|tool_call|>",
	"<|/tool_call|>",
	"<TOOLCALL>",
	"</TOOLCALL>",
	"<|START_ACTION|>",
	"<|END_ACTION|>",
	"<|action_start|>",
	"<|plugin|>",
	"<|action_end|>",
	"<|tool_call>",
	"<tool_call|>",
	"<start_function_call>",
	"<end_function_call>",
	"}",
	"]",
}

// endMarks are the marks of templates that servers leave at the end of an answer.
var endMarks = marks(
	"<|eot_id|>",
	"<|eom_id|>",
	"<|im_end|>",
	"<|end|>",
	"<|return|>",
	"<|call|>",
	"<|endoftext|>",
	"<|end_of_text|>",
	"<end_of_turn>",
	"<｜end▁of▁sentence｜>",
	"<|END_OF_TURN_TOKEN|>",
	"</s>",
	"<|im_start|>",
	"<|im_start|>assistant",
	"<|end_of_turn|>",
	"<|eot|>",
	"<|EOT|>",
	"<eos>",
	"<EOS>",
	"<|eos|>",
	"[EOS]",
	"<pad>",
	"<|pad|>",
	"[PAD]",
	"<bos>",
	"<|bos|>",
	"<unk>",
	"<|user|>",
	"<|assistant|>",
	"<|system|>",
	"<|observation|>",
	"<|tool_response|>",
	"<｜User｜>",
	"<｜Assistant｜>",
	"<|im_sep|>",
	"<|start_header_id|>",
	"<|start_header_id|>assistant",
	"<|start_header_id|>assistant<|end_header_id|>",
	"<|end_header_id|>",
	"<start_of_turn>",
	"<start_of_turn>model",
	"<start_of_turn>user",
	"<turn|>",
	"<|turn>",
	"<|turn>model",
	"[INST]",
	"[/INST]",
	"<|end▁of▁sentence|>",
	"<|endofprompt|>",
	"<|END_RESPONSE|>",
	"<|fim_pad|>",
	"<|fim_prefix|>",
	"<|fim_middle|>",
	"<|fim_suffix|>",
	"<|file_sep|>",
	"<|repo_name|>",
)

// beginMarks are the marks of templates that servers leave at the beginning of an answer.
var beginMarks = marks(
	"<|im_start|>assistant", "<start_of_turn>model", "<|turn>model", "<|start_header_id|>assistant<|end_header_id|>", "<bos>", "<｜Assistant｜>",
	"<|assistant|>",
)
