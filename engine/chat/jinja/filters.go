package jinja

// filters are what may follow |. Their parameters are named as in Jinja2.
var filters map[string]*builtin

func init() {
	filters = map[string]*builtin{
		"abs":     fn("abs", "x", filterAbs),
		"attr":    fn("attr", "obj, name", filterAttr),
		"default": fn("default", "value, default_value='', boolean=false", filterDefault),
		"int":     fn("int", "value, default=0, base=10", filterInt),
		"float":   fn("float", "value, default=0.0", filterFloat),
		"round":   fn("round", "value, precision=0, method='common'", filterRound),
		"tojson":  fn("tojson", "value, ensure_ascii=false, indent=none, separators=none, sort_keys=false", filterToJSON),
		"from_json": fn("from_json", "value", func(s *state, a []Value) Value {
			return s.fromJSON(s.wantText(a[0], "from_json"))
		}),
		"pprint": fn("pprint", "value", func(s *state, a []Value) Value { return s.repr(s.sortedKeys(a[0])) }),
		"length": fn("length", "obj", filterLength),
		"items":  fn("items", "value", filterItems),

		"escape":         fn("escape", "s", filterEscape),
		"forceescape":    fn("forceescape", "value", filterForceEscape),
		"safe":           fn("safe", "value", func(s *state, a []Value) Value { return Markup(s.str(a[0])) }),
		"striptags":      fn("striptags", "value", filterStripTags),
		"urlencode":      fn("urlencode", "value", filterURLEncode),
		"xmlattr":        fn("xmlattr", "d, autospace=true", filterXMLAttr),
		"filesizeformat": fn("filesizeformat", "value, binary=false", filterFileSize),

		"string":     fn("string", "s", func(s *state, a []Value) Value { return s.softText(a[0]) }),
		"upper":      onText("upper"),
		"lower":      onText("lower"),
		"capitalize": onText("capitalize"),
		"title":      fn("title", "s", filterTitle),
		"trim":       fn("trim", "value, chars=none", filterTrim),
		"center":     fn("center", "value, width=80", filterCenter),
		"indent":     fn("indent", "s, width=4, first=false, blank=false", filterIndent),
		"replace":    fn("replace", "s, old, new, count=none", filterReplace),
		"truncate":   fn("truncate", "s, length=255, killwords=false, end='...', leeway=5", filterTruncate),
		"wordcount":  fn("wordcount", "s", filterWordCount),
		"format":     rawFn("format", filterFormat),

		"list":       fn("list", "value", func(s *state, a []Value) Value { return s.list(clone(s.items(a[0]))) }),
		"first":      fn("first", "seq", filterFirst),
		"last":       fn("last", "seq", filterLast),
		"join":       fn("join", "value, d='', attribute=none", filterJoin),
		"reverse":    fn("reverse", "value", filterReverse),
		"sort":       fn("sort", "value, reverse=false, case_sensitive=false, attribute=none", filterSort),
		"dictsort":   fn("dictsort", "value, case_sensitive=false, by='key', reverse=false", filterDictSort),
		"unique":     fn("unique", "value, case_sensitive=false, attribute=none", filterUnique),
		"min":        fn("min", "value, case_sensitive=false, attribute=none", extreme("<")),
		"max":        fn("max", "value, case_sensitive=false, attribute=none", extreme(">")),
		"sum":        fn("sum", "iterable, attribute=none, start=0", filterSum),
		"groupby":    fn("groupby", "value, attribute, default=none, case_sensitive=false", filterGroupBy),
		"batch":      fn("batch", "value, linecount, fill_with=none", filterBatch),
		"slice":      fn("slice", "value, slices, fill_with=none", filterSlice),
		"map":        rawFn("map", filterMap),
		"select":     rawFn("select", selecting(true, false)),
		"reject":     rawFn("reject", selecting(false, false)),
		"selectattr": rawFn("selectattr", selecting(true, true)),
		"rejectattr": rawFn("rejectattr", selecting(false, true)),
	}
	for alias, name := range map[string]string{"d": "default", "e": "escape", "count": "length"} {
		filters[alias] = filters[name]
	}
}

// softText is str(v), but Markup stays what it is.
func (s *state) softText(v Value) Value {
	if m, ok := v.(Markup); ok {
		return m
	}
	return s.str(v)
}

// onText makes a filter of a method of str.
func onText(name string) *builtin {
	return fn(name, "s", func(s *state, a []Value) Value {
		return strMethods[name].bound(s, []Value{s.softText(a[0])})
	})
}
