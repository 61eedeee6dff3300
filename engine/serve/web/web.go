// Package web is the page that a server shows in a browser: a chat, its settings, and a view of the slots. It is plain HTML, CSS and
// JavaScript that asks the server's own API and nothing else.
package web

import "embed"

// Files are those of the page.
//
//go:embed *.html *.css *.js
var Files embed.FS
