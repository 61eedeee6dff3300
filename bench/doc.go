// Package bench measures how fast models are computed, and says how sure the numbers are. It is what llama-bench is made of.
//
//   - [Params] is one row of a table: a model, a number of threads, so many tokens of prompt or answer. [Grid] makes rows of lists
//     of values. [Run] measures rows one after another and hands over a [Result] for each: all samples, not only their mean.
//   - [Writer] prints results under the names that llama.cpp's llama-bench gives them, as Markdown, CSV, JSON, JSON lines or SQL.
//     [Read] reads the two that hold samples back, whichever program wrote them.
//   - [Compare] sets files of results side by side. [Peer] runs another program's llama-bench between our own repetitions, so
//     that both see the same machine.
//   - [RunBatched] measures many sequences at once, as llama-batched-bench does.
//
// A test takes the road of a request: the scheduler, its batches, its cache. Only sampling is left out, as llama.cpp's tool
// leaves it out: tokens are random. A test at a depth finds the tokens before it in the cache, as a long conversation does.
//
// Statistics assume nothing about the distribution of the samples where there are two independent sets (medians, Mann-Whitney
// U test, Hodges-Lehmann interval), and that the logarithm of the ratio is normal where samples were taken in pairs.
package bench
