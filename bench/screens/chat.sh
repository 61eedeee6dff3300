# Scenes of the chat view; sourced by run.sh. They talk to the embedded model.

scene chat 80 24 llama chat --temp 0.8 -s 5
type_line "What is 12 + 30?"
wait_for "eos"
type_line "Tell me a story about a fox."
wait_for "whole year"
capture chat

key Tab
wait_for "branches"
key Escape
key C-g
wait_for "2/2"
wait_for "eos"
key Tab
wait_for "again"
capture chat-turns
key Escape
wait_for "Message"
keys "/ex"
wait_for "/export"
key Tab
wait_for "training data"
capture chat-commands
end

scene chat-sampler 80 24 llama chat --temp 0.8 -s 5 -rea off
type_line "Tell me a story about a fox."
wait_for "eos"
key F2
wait_for "top_p"
key Down Left Left Left
wait_for "top_k 17"
capture chat-sampler
end

cat >"$work/tools.json" <<'JSON'
[{"name": "get_weather", "description": "Get the weather in a city",
  "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}]
JSON
scene chat-tools 60 18 llama chat --temp 0 -rea off --tools "$work/tools.json"
type_line "Is it raining in Quito?"
wait_for "result of get_weather>"
type_line '{"city": "Quito", "temperature": 31, "sky": "snowy"}'
wait_for "degrees"
capture chat-tools
end
