#!/bin/sh
# Writes the assembly of the integer products, ../int_*_amd64.s seen from the module's folder. Run by generate.sh there.
set -e
cd "$(dirname "$0")/.."
for file in act blocks q80 q40 q41 q50 q51 iq4nl mxfp4 iq4xs q2k q3k q4k q5k q6k grid iq2xxs iq2xs iq2s iq3xxs iq3s iq1s iq1m tq20 tq10 q10 q20 nvfp4; do
	go run ./int -file $file -out ../int_${file}_amd64.s
done
