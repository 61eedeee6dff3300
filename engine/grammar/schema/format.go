package schema

import (
	"strings"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// Parts of formats. Years are those of RFC 3339, with their leap days.
const (
	octet      = `(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
	ipv4       = octet + `(\.` + octet + `){3}`
	h16        = `[0-9a-fA-F]{1,4}`
	leap       = `([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)`
	monthDay   = `((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))`
	date       = `([0-9]{4}-` + monthDay + `|` + leap + `-02-29)`
	clock      = `([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?([zZ]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])`
	label      = `[0-9a-zA-Z]([0-9a-zA-Z-]{0,61}[0-9a-zA-Z])?`
	short      = `[0-9a-zA-Z]([0-9a-zA-Z-]{0,23}[0-9a-zA-Z])?`
	host       = `(` + label + `(\.` + label + `){0,2}|` + short + `(\.` + short + `){0,6})`
	atom       = "[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]"
	unreserved = `A-Za-z0-9._~!$&'()*+,;=:@-`
	percent    = `%[0-9A-Fa-f]{2}`
	pchar      = `([` + unreserved + `]|` + percent + `)`
	authority  = `(([A-Za-z0-9._~!$&'()*+,;=:-]|` + percent + `)*@)?(\[(` + ipv6 + `|v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+)\]|([A-Za-z0-9._~!$&'()*+,;=-]|` + percent + `)*)(:[0-9]*)?`
	query      = `(\?(` + pchar + `|[/?])*)?(#(` + pchar + `|[/?])*)?`
	hierarchy  = `(//` + authority + `(/` + pchar + `*)*|/(` + pchar + `+(/` + pchar + `*)*)?|` + pchar + `+(/` + pchar + `*)*|)`
	scheme     = `[A-Za-z][A-Za-z0-9+.-]*:`
	segmentNC  = `([A-Za-z0-9._~!$&'()*+,;=@-]|` + percent + `)+`
	relative   = `(//` + authority + `(/` + pchar + `*)*|/(` + pchar + `+(/` + pchar + `*)*)?|` + segmentNC + `(/` + pchar + `*)*|)`
	pointer    = `(/([^/~]|~[01])*)*`
	expression = `\{[+#./;?&]?[A-Za-z0-9_%.,:*]+\}`
	ipv6       = `((` + h16 + `:){6}` + ls32 + `|::(` + h16 + `:){5}` + ls32 + `|(` + h16 + `)?::(` + h16 + `:){4}` + ls32 +
		`|((` + h16 + `:){0,1}` + h16 + `)?::(` + h16 + `:){3}` + ls32 + `|((` + h16 + `:){0,2}` + h16 + `)?::(` + h16 + `:){2}` + ls32 +
		`|((` + h16 + `:){0,3}` + h16 + `)?::` + h16 + `:` + ls32 + `|((` + h16 + `:){0,4}` + h16 + `)?::` + ls32 +
		`|((` + h16 + `:){0,5}` + h16 + `)?::` + h16 + `|((` + h16 + `:){0,6}` + h16 + `)?::)`
	ls32 = `(` + h16 + `:` + h16 + `|` + ipv4 + `)`
)

// formats are the strings of JSON Schema's formats (RFC 3339, 5321, 1123, 3986, 6570, 6901, 4122 and ISO 8601), as patterns.
var formats = map[string]string{
	"date":                  `^` + date + `$`,
	"time":                  `^` + clock + `$`,
	"date-time":             `^` + date + `[tT]` + clock + `$`,
	"duration":              `^P(?=.)([0-9]+W|([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+S)?)?)$`,
	"email":                 `^` + atom + `(\.?` + atom + `){0,31}@(` + short + `(\.` + short + `){0,6}|` + label + `(\.` + label + `)?)$`,
	"hostname":              `^` + host + `$`,
	"ipv4":                  `^` + ipv4 + `$`,
	"ipv6":                  `^` + ipv6 + `$`,
	"uri":                   `^` + scheme + hierarchy + query + `$`,
	"uri-reference":         `^(` + scheme + hierarchy + `|` + relative + `)` + query + `$`,
	"uri-template":          `^([^\x00-\x20"'%<>\\^` + "`" + `{|}\x7f]|` + percent + `|` + expression + `)*$`,
	"uuid":                  `^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`,
	"json-pointer":          `^` + pointer + `$`,
	"relative-json-pointer": `^(0|[1-9][0-9]*)(#|` + pointer + `)$`,
}

// related formats are held to a stricter one: its strings are strings of theirs.
var related = map[string]string{"idn-email": "email", "idn-hostname": "hostname", "iri": "uri", "iri-reference": "uri-reference", "url": "uri"}

// exactFormats are those of which all strings are accepted. Of email and hostname, long ones are not: a limit for the whole
// beside those of the parts would make every length a state of its own.
var exactFormats = map[string]bool{"date": true, "time": true, "date-time": true, "ipv4": true, "ipv6": true, "uuid": true,
	"json-pointer": true, "relative-json-pointer": true}

// format returns the strings of a format. One that JSON Schema does not define is an annotation.
func (c *compiler) format(n *schemaNode, name string) (rx.ID, error) {
	if r, ok := related[name]; ok {
		name = r
	}
	pattern, ok := formats[name]
	switch {
	case name == "regex":
		return 0, fail(n, "format", "regex is not a regular language")
	case !ok:
		if !strings.HasPrefix(name, "int") && !strings.HasPrefix(name, "uint") {
			c.notice(n.pointer, "format", "unknown format "+name)
		}
		return c.text.any, nil
	}
	return c.compilePattern(n, "format", pattern)
}

// numberFormat returns the numbers of OpenAPI's formats for integers; others are annotations.
func (c *compiler) numberFormat(name string) rx.ID {
	limits, ok := map[string][2]string{
		"int8": {"-128", "127"}, "int16": {"-32768", "32767"}, "int32": {"-2147483648", "2147483647"},
		"int64": {"-9223372036854775808", "9223372036854775807"},
		"uint8": {"0", "255"}, "uint16": {"0", "65535"}, "uint32": {"0", "4294967295"}, "uint64": {"0", "18446744073709551615"},
	}[name]
	if !ok {
		return c.num.any
	}
	lo, _ := parseDecimal(limits[0])
	hi, _ := parseDecimal(limits[1])
	return c.num.And(c.num.atLeast(lo, false), c.num.atMost(hi, false))
}
