// Package calls knows how families of models write calls of tools.
//
// A [Format] is a picture of a call, with the places of name and arguments, and what stands around several. All that is done with
// a format follows from the picture: [Format.Text] writes calls, [Splitter] finds them in an answer as it comes, and
// [Format.Compile] makes the grammar that keeps a model to the format and to the schemas of its tools.
//
// Arguments are a JSON object in most formats. In some each has tags of its own (tagged.go), or they are literals of another
// language (literal.go). Outside this package they are JSON always.
package calls
