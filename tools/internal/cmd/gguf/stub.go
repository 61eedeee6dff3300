package gguf

import "github.com/urfave/cli/v3"

func dumpCommand() *cli.Command  { return &cli.Command{Name: "dump"} }
