// Package kv keeps the books of the key-value cache: which page of the pool holds which tokens, and who uses it.
//
// The pool is cut into pages of PageSize tokens. A Seq is one sequence's table of pages; pages are shared by reference
// count. Pages whose tokens are all computed stand in a tree by their tokens, so that a new sequence starts on the
// longest prefix that any earlier or running one has computed. Where the prefix ends inside a page, that page is copied.
// Pages that nobody uses stay in the tree until the pool needs them, least recently used first, leaves first.
//
// A model with recurrent layers has a pool with states, too: see Slot and Seq.Save. There a prefix can be reused only as far as
// a checkpoint, and every open sequence has the slot of its state to itself.
//
// The package never sees a tensor: what a page holds, and the copying, is the device's business. It is not safe for
// concurrent use; the scheduler is its only caller.
package kv
