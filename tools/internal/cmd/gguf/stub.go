package gguf

import "github.com/urfave/cli/v3"

func diffCommand() *cli.Command  { return &cli.Command{Name: "diff"} }
func checkCommand() *cli.Command { return &cli.Command{Name: "check"} }
func hashCommand() *cli.Command  { return &cli.Command{Name: "hash"} }
func dumpCommand() *cli.Command  { return &cli.Command{Name: "dump"} }
