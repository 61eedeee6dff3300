// Package debug is the view that looks into prompts and answers: how a conversation is rendered and cut into tokens, how likely
// each was, which candidates there were beside it and what removed them, why an answer ended, and where two part. What it shows
// is made by package engine/debug; llama debug prints the same without a terminal.
package debug
