package printable

import "strings"

var escapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`)

// Quoted is Line in quotes, with line breaks and tabs written as \n, \r and \t: so that white space at the ends of a short text can
// be seen, and what people can read stays as it is.
func Quoted(s string) string { return `"` + Line(escapes.Replace(s)) + `"` }
