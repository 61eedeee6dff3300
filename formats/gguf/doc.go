// Package gguf reads and writes GGUF, the file format of llama.cpp's models: a list of typed keys, then a list of tensors
// with name, type, shape and place, then their data.
//
//	header   "GGUF", version u32, tensor count u64, key count u64
//	key      string, type u32, value; a string is its length u64 and its bytes, an array its element type u32, its
//	         length u64 and its elements
//	tensor   name, number of dimensions u32, dimensions u64 (the fastest first), type u32, offset u64
//	data     begins at the next multiple of the alignment (key general.alignment, else 32), as does each tensor;
//	         offsets count from there
//
// Everything is little-endian. Versions 2 and 3 are read, which differ only in the number, and 3 is written.
//
// [Open] maps a file, or a set of shards from any of its members, and returns a [File]: its [Metadata], a list of keys
// with a [Value] each, and its [Tensor] list. [Metadata.Reader] reads hyper-parameters and keeps the first mistake.
// [Create] writes a file that appears under its name when it is complete, a [Set] several; [NewWriter] writes to any stream. All take
// tensors one at a time, so a file needs no more memory than its largest tensor. [File.Patch] makes small changes of keys
// and names in place. [OpenFrom] reads the header of a file that is somewhere else; package remote does on web servers.
// [Salvage] opens what can be read of a damaged file.
//
// # Lifetime
//
// The bytes of tensors are the mapped file itself. They must not be written to, and they are gone after [File.Close]:
// touching a slice of them then ends the process, it is not a panic that could be recovered from. The same happens when
// another program cuts the file short while it is mapped. Replacing the file by renaming another one over it, which is
// what [Create] does, is safe, also for a file that is open. Metadata is copied out of the mapping and stays valid.
//
// # What is refused
//
// A file comes from a stranger. Every size is compared with the bytes that are there before it is believed, so a rejected
// file costs little time and memory whatever it claims. Errors are one line with the file, the byte offset and the key
// or tensor, and are [ErrCorrupt], [ErrUnsupported] or [ErrNotFound]. Where the format leaves a choice:
//
//   - Keys: an empty one, one of more than 65,535 bytes, and a second one of the same name are corrupt. More than 65,536
//     keys, arrays nested more than 4 deep, and more than 65,536 tensors in one file are unsupported.
//   - Tensor names: at most 63 bytes, as in llama.cpp; the empty name is allowed; the same name twice is corrupt, in one
//     shard or in two.
//   - Shapes: 1 to 4 dimensions. None is read as one element, as llama.cpp does. A dimension of 0 makes a tensor
//     without data. The first dimension must be whole blocks of the type.
//   - Data: tensors may stand in any order and with gaps; they may not overlap or reach past the end of the file. What
//     follows the last one is ignored, unless it is another GGUF file: shards are not joined with cat.
//   - Alignment: a u32 that is a power of two and at most 2 MiB.
//   - A bool is true when its byte is not 0.
//   - Text need not be UTF-8; use [Printable] to show it.
//   - Big-endian files and version 1 are unsupported.
package gguf
