#!/bin/sh
# Writes the assembly of package kernel and the Go declarations beside it. Run by go generate in the package's folder.
set -e
cd "$(dirname "$0")"
for part in vec glu reduce rope half tile_avx2 tile_avx512 tile_bf16 pipe accumulate fixed decode state; do
	go run ./float -part $part -pkg kernel -out ../${part}_amd64.s -stubs ../${part}_amd64.go
done
sh int/generate.sh
