# Scenes of the inspector; sourced by run.sh. They look into the embedded model, and compare it with a smaller form of it.

cd "$work"
cp "$root/engine/demo/demo.gguf" demo.gguf
./llama quantize --allow-requantize demo.gguf q4.gguf Q4_K_M >/dev/null 2>&1

scene inspect 80 24 llama gguf demo.gguf
wait_for "q8_0"
capture inspect
key Tab
keys "rope"
wait_for "1 of 29"
key Tab
keys "ffn_down"
wait_for "6 of 68"
key Enter
wait_for "scales of blocks"
capture inspect-tensor
key Tab Right
wait_for "50 tokens"
capture inspect-template
key Tab
keys "/^.ing$/"
wait_for "in the file"
capture inspect-tokens
key Tab
keys "_k"
wait_for "Q4_K_M"
capture inspect-types
key Tab
wait_for "trained for"
key Right
wait_for "4096"
capture inspect-memory
end

scene inspect-compared 112 20 llama gguf demo.gguf q4.gguf
wait_for "differ"
key Tab Tab C-o Down Down
wait_for "A - B"
capture inspect-compared
end
cd "$root"
