#!/usr/bin/env python3
"""Fills in what Jinja2 answers: record.py FILE.jsonl rewrites a file of rows {"template": ..., "vars": {...}}, adding
"out" or "err" to each. Jinja2 is set up as transformers does it for chat templates; the clock stands at
2026-10-15 09:30. The files here were recorded with Jinja2 3.1.6 on Python 3.11."""
import datetime, json, sys
from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_keep"), [], [], body).set_lineno(line)

    def _keep(self, caller):
        return caller()


def to_json(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def refuse(message):
    raise TemplateError(message)


env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
env.filters["tojson"] = to_json
env.globals["raise_exception"] = refuse
env.globals["strftime_now"] = datetime.datetime(2026, 10, 15, 9, 30).strftime


def answer(row):
    row = {k: row[k] for k in ("template", "vars") if k in row}
    try:
        row["out"] = env.from_string(row["template"]).render(**row.get("vars", {}))
    except Exception as e:
        row["err"] = f"{type(e).__name__}: {e}"[:160]
    return row


if __name__ == "__main__":
    rows = [json.loads(line) for line in open(sys.argv[1])]
    with open(sys.argv[1], "w") as f:
        for row in rows:
            f.write(json.dumps(answer(row), ensure_ascii=False) + "\n")
