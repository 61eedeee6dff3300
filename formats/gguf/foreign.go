package gguf

import (
	"bytes"
	"fmt"
)

// foreignMagics are the beginnings of files that are often taken for GGUF, with what they are and what to do.
var foreignMagics = []struct {
	magic string
	kind  error
	what  string
}{
	{"version https://git-lfs", ErrNotFound, "a Git LFS pointer, not the file itself (run `git lfs pull`)"},
	{"<!DOCTYPE", ErrCorrupt, "an HTML page (download the file itself, not the page about it)"},
	{"<!doctype", ErrCorrupt, "an HTML page (download the file itself, not the page about it)"},
	{"<html", ErrCorrupt, "an HTML page (download the file itself, not the page about it)"},
	{"lmgg", ErrUnsupported, "a GGML file of early 2023 (convert the original model again)"},
	{"fmgg", ErrUnsupported, "a GGMF file of early 2023 (convert the original model again)"},
	{"tjgg", ErrUnsupported, "a GGJT file of early 2023 (convert the original model again)"},
	{"algg", ErrUnsupported, "a GGLA adapter of 2023 (convert the original adapter again)"},
	{"FUGG", ErrUnsupported, "a GGUF file with its magic reversed (big-endian?)"},
	{"PK\x03\x04", ErrUnsupported, "a zip archive, perhaps a PyTorch checkpoint (convert the model's folder to GGUF)"},
	{"\x1f\x8b", ErrUnsupported, "a gzip archive (unpack it)"},
	{"\x28\xb5\x2f\xfd", ErrUnsupported, "a zstd archive (unpack it)"},
}

// foreign says what a file is whose first bytes are not GGUF's.
func foreign(data []byte) (what string, kind error) {
	for _, f := range foreignMagics {
		if bytes.HasPrefix(data, []byte(f.magic)) {
			return "not a GGUF file but " + f.what, f.kind
		}
	}
	switch {
	case len(data) == 0:
		return "the file is empty (interrupted download? fetch it again)", ErrCorrupt
	case len(data) > 9 && data[8] == '{' && bytes.Equal(data[4:8], make([]byte, 4)):
		return "not a GGUF file but a safetensors file (convert the model's folder to GGUF)", ErrUnsupported
	}
	return fmt.Sprintf("not a GGUF file: it begins with %s instead of \"GGUF\"", quote(string(data[:min(4, len(data))]))), ErrCorrupt
}
