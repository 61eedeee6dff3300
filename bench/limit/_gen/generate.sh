#!/bin/sh
# Writes the assembly of package limit and the Go declarations beside it. Run by go generate in the package's folder.
set -e
cd "$(dirname "$0")"
go run . -pkg limit -out ../loops_amd64.s -stubs ../loops_stub_amd64.go
