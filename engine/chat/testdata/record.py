#!/usr/bin/env python3
"""Writes renders.jsonl: what Jinja2 makes of each template here and each conversation below. Jinja2 is set up by
../jinja/testdata/record.py; the file here was recorded with Jinja2 3.1.6."""
import glob, json, os, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here + "/../jinja/testdata")
from record import env

find = {"type": "function", "function": {"name": "find", "description": "a<b && c>d, «é»", "parameters": {
    "type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "integer", "default": 1.0}}, "required": ["z"]}}}
call = {"role": "assistant", "content": "", "tool_calls": [
    {"id": "call12345", "type": "function", "function": {"name": "find", "arguments": {"z": "Ünï <b>", "a": 2}}}]}
result = {"role": "tool", "tool_call_id": "call12345", "name": "find", "content": '{"n": 3}'}


def user(text): return {"role": "user", "content": text}
def assistant(text, **more): return {"role": "assistant", "content": text, **more}


conversations = {
    "user": {"messages": [user("Hello")]},
    "system": {"messages": [{"role": "system", "content": " Be terse.\n"}, user(" What is <GGUF> & \"why\"? ")]},
    "turns": {"messages": [user("你好"), assistant("Hi 🦙"), user("Tell me\n\nmore")]},
    "no_prompt": {"messages": [user("One"), assistant("Two")], "add_generation_prompt": False},
    "parts": {"messages": [{"role": "user", "content": [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]}]},
    "tools": {"messages": [user("Find it")], "tools": [find]},
    "calls": {"messages": [user("Find it"), call, result], "tools": [find]},
    "calls_done": {"messages": [user("Find it"), call, result, assistant("Three."), user("Thanks")], "tools": [find]},
    "null_content": {"messages": [user("Find it"), {**call, "content": None}, result], "tools": [find]},
    "text_arguments": {"messages": [user("Find it"), {**call, "tool_calls": [
        {"id": "call12345", "type": "function", "function": {"name": "find", "arguments": '{"z": "x", "a": 2}'}}]}, result]},
    "two_users": {"messages": [user("One"), user("Two")]},
    "late_system": {"messages": [user("One"), assistant("Two"), {"role": "system", "content": "Late"}, user("Three")]},
    "thinking_off": {"messages": [user("Two plus two?")], "extra": {"enable_thinking": False}},
    "reasoning": {"messages": [user("Q1"), assistant("A1", reasoning_content="because"), user("Q2"),
                               assistant("A2", reasoning_content="hence")]},
    "think_tags": {"messages": [user("Q1"), assistant("<think>\nhm\n</think>\n\nA1"), user("Q2")]},
    "date_string": {"messages": [user("Hi")], "extra": {"date_string": "26 Jul 2024"}},
    "unknown_fields": {"messages": [{"name": "ann", "role": "user", "mood": {"b": 1, "a": None}, "content": "Hi"}]},
}
tokens = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
with open(here + "/renders.jsonl", "w") as f:
    for path in sorted(glob.glob(here + "/*.jinja")):
        template = env.from_string(open(path).read())
        for name, c in conversations.items():
            row = {"template": os.path.basename(path), "conversation": name, "input": c}
            given = {"add_generation_prompt": True, **{k: v for k, v in c.items() if k != "extra"}}
            try:
                row["output"] = template.render(**given, **tokens, **c.get("extra", {}))
            except Exception as e:
                row["error"] = f"{type(e).__name__}: {e}"[:160]
            f.write(json.dumps(row, ensure_ascii=False) + "\n")
