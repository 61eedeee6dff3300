#!/bin/sh
# Writes the assembly of package quant and the Go declarations beside it. Run by go generate in the package's folder.
set -e
cd "$(dirname "$0")"
for part in half trial round; do
	go run . -part $part -pkg quant -out ../${part}_amd64.s -stubs ../${part}_stub_amd64.go
done
