package calls

import "github.com/llamakit/llamakit/engine/grammar/schema"

// Parts of formats that many have.
const (
	object     = `{"name": "$name", "arguments": $arguments}`
	objectID   = `{"name": "$name", "arguments": $arguments, "id": "$id"}`
	parameters = `{"name": "$name", "parameters": $arguments}`
)

var python = schema.Style{Null: "None", True: "True", False: "False"}

// Hermes is the format of Hermes, Qwen and many others, and of models whose own is not known.
var Hermes = &Format{Name: "hermes", trigger: "<tool_call>", pictures: objects("<tool_call>\n" + object + "\n</tool_call>"), between: "\n"}

// table has the formats by their model families. Sources are the models' chat templates and documentation.
var table = []*Format{
	Hermes,
	{Name: "qwen3-coder", trigger: "<tool_call>", pictures: tagged("<tool_call>\n<function=$name>\n$arguments</function>\n</tool_call>", "<parameter=$key>\n$value\n</parameter>\n"), between: "\n"}, // also Qwen 3.5, Nemotron 3, Step 3.5
	{Name: "seed-oss", trigger: "<seed:tool_call>", pictures: tagged("<seed:tool_call>\n<function=$name>\n$arguments</function>\n</seed:tool_call>", "<parameter=$key>$value</parameter>\n"), between: "\n"},
	{Name: "glm-4.5", trigger: "<tool_call>", pictures: tagged("<tool_call>$name\n$arguments</tool_call>", "<arg_key>$key</arg_key>\n<arg_value>$value</arg_value>\n"), between: "\n"},
	{Name: "glm-4.7", trigger: "<tool_call>", pictures: tagged("<tool_call>$name$arguments</tool_call>", "<arg_key>$key</arg_key><arg_value>$value</arg_value>")},
	{Name: "minimax-m2", trigger: "<minimax:tool_call>", open: "<minimax:tool_call>\n", close: "</minimax:tool_call>",
		pictures: tagged("<invoke name=\"$name\">\n$arguments</invoke>\n", "<parameter name=\"$key\">$value</parameter>\n")},
	{Name: "deepseek-v3.2", trigger: "<｜DSML｜function_calls>", open: "<｜DSML｜function_calls>\n", close: "</｜DSML｜function_calls>",
		pictures: tagged(dsmlCall, dsmlMember)},
	{Name: "deepseek-v4", trigger: "<｜DSML｜tool_calls>", open: "<｜DSML｜tool_calls>\n", close: "</｜DSML｜tool_calls>",
		pictures: tagged(dsmlCall, dsmlMember)},
	{Name: "deepseek-v3", trigger: "<｜tool▁calls▁begin｜>", open: "<｜tool▁calls▁begin｜>", between: "\n", close: "<｜tool▁calls▁end｜>",
		pictures: objects("<｜tool▁call▁begin｜>function<｜tool▁sep｜>$name\n```json\n$arguments\n```<｜tool▁call▁end｜>")}, // and R1
	{Name: "deepseek-v3.1", trigger: "<｜tool▁calls▁begin｜>", open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>",
		pictures: objects("<｜tool▁call▁begin｜>$name<｜tool▁sep｜>$arguments<｜tool▁call▁end｜>")},
	{Name: "kimi-k2", trigger: "<|tool_calls_section_begin|>", open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>",
		pictures: objects("<|tool_call_begin|>functions.$name:$id<|tool_call_argument_begin|>$arguments<|tool_call_end|>"), ids: numberID,
		told: "functions.$name:$id"},
	{Name: "mistral-v3", trigger: "[TOOL_CALLS]", open: "[TOOL_CALLS][", between: ", ", close: "]", pictures: objects(objectID, object)},
	{Name: "mistral-small-3.2", trigger: "[TOOL_CALLS]", pictures: objects("[TOOL_CALLS]$name[CALL_ID]$id[ARGS]$arguments")},
	{Name: "mistral-v11", trigger: "[TOOL_CALLS]", pictures: objects("[TOOL_CALLS]$name[ARGS]$arguments")},
	{Name: "command-r7b", trigger: "<|START_ACTION|>", open: "<|START_ACTION|>[\n    ", between: ",\n    ", close: "\n]<|END_ACTION|>",
		pictures: objects(`{"tool_call_id": "$id", "tool_name": "$name", "parameters": $arguments}`), ids: numberID},
	{Name: "command-r-plus", trigger: "Action:", open: "Action:\n```json\n[\n", between: ",\n", close: "\n]```",
		pictures: objects("    {\n        \"tool_name\": \"$name\",\n        \"parameters\": $arguments\n    }")},
	{Name: "functionary-v3.1", trigger: "<function=", pictures: objects("<function=$name>$arguments</function>")},
	{Name: "functionary-v3.2", trigger: ">>>$name\n", pictures: objects(">>>$name\n$arguments"), prompt: ">>>", plain: ">>>all\n"},
	{Name: "firefunction-v2", trigger: "functools[", open: "functools[", between: ", ", close: "]", pictures: objects(object)},
	{Name: "phi-4-mini", trigger: "<|tool_call|>", open: "<|tool_call|>[", between: ", ", close: "]<|/tool_call|>", pictures: objects(object),
		marks: []string{"<|/tool_call|>"}},
	{Name: "granite-3", trigger: "<|tool_call|>", open: "<|tool_call|>[", between: ", ", close: "]", pictures: objects(object),
		marks: []string{"<|tool_call|>"}},
	{Name: "nemotron", trigger: "<TOOLCALL>", open: "<TOOLCALL>[", between: ", ", close: "]</TOOLCALL>", pictures: objects(object),
		marks: []string{"<TOOLCALL>"}},
	{Name: "apriel", trigger: "<tool_calls>", open: "<tool_calls>[", between: ", ", close: "]</tool_calls>", pictures: objects(object, objectID)},
	{Name: "apertus", trigger: "<|tools_prefix|>", open: "<|tools_prefix|>[", between: ", ", close: "]<|tools_suffix|>",
		pictures: objects(`{"$name": $arguments}`)},
	{Name: "mirothinker", trigger: "<use_mcp_tool>", marks: []string{"<use_mcp_tool>"}, pictures: objects(
		"<use_mcp_tool>\n<server_name>tools</server_name>\n<tool_name>$name</tool_name>\n<arguments>\n$arguments\n</arguments>\n</use_mcp_tool>")},
	{Name: "lfm2", trigger: "<|tool_call_start|>", open: "<|tool_call_start|>[", between: ", ", close: "]<|tool_call_end|>",
		pictures: literals("$name($arguments)", "$key=$value", ", ", python), marks: []string{"<|tool_call_start|>", "<|tool_list_start|>", "List of tools: ["}},
	{Name: "gemma-4", trigger: "<|tool_call>", pictures: literals("<|tool_call>call:$name{$arguments}<tool_call|>", "$key:$value", ",", schema.Style{Quote: `<|"|>`})},
	{Name: "functiongemma", trigger: "<start_function_call>", pictures: literals("<start_function_call>call:$name{$arguments}<end_function_call>", "$key:$value", ",", schema.Style{Quote: "<escape>"})},
	{Name: "gigachat-3", trigger: gigachat, pictures: objects(gigachat + "\n" + object)},
	{Name: "gigachat-3.1", trigger: "<|function_call|>", pictures: objects("<|function_call|>" + object)},
	{Name: "gpt-oss", Raw: true, prompt: "<|start|>assistant",
		pictures: objects("<|start|>assistant<|channel|>commentary to=functions.$name <|constrain|>json<|message|>$arguments<|call|>",
			"<|start|>assistant to=functions.$name<|channel|>commentary json<|message|>$arguments<|call|>"),
		reasoning: [2]string{"<|start|>assistant<|channel|>analysis<|message|>", "<|end|>"}},
	{Name: "llama-3", trigger: "<|python_tag|>", first: `{"name"`, pictures: append(objects(parameters, "<|python_tag|>"+parameters),
		literals("<|python_tag|>$name.call($arguments)", "$key=$value", ", ", python)...)},
}

const (
	gigachat   = "<|message_sep|>\n\nfunction call<|role_sep|>"
	dsmlCall   = "<｜DSML｜invoke name=\"$name\">\n$arguments</｜DSML｜invoke>\n"
	dsmlMember = "<｜DSML｜parameter name=\"$key\" string=\"false\">$value</｜DSML｜parameter>\n"
)
