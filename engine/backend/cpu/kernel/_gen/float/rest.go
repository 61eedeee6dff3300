package main

func vecPart()        {}
func reducePart()     {}
func ropePart()       {}
func halfPart()       {}
func accumulatePart() {}
