// Package dashboard shows what a server does: its slots, the pages of its cache, its queue, its speed over the last minutes
// and the answers that ended last.
//
// The view asks a Source for a Snapshot a few times a second and draws what changed. A source may be a server anywhere
// (Remote), llama.cpp's too, which tells less; what it does not tell is left out of the screen.
package dashboard
