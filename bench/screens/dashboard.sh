# Scenes of the dashboard; sourced by run.sh. A server with the embedded model generates three long answers and some short ones.

port=$((20000 + $$ % 20000))

# complete NUMBER TOKENS asks for an answer to a prompt that begins like all others.
complete() {
	curl -s -o "$work/answer" "http://127.0.0.1:$port/completion" -d "{\"prompt\": \"A llama that learns to count, and counts the sheep, the stones, the stars, \
the hairs of its tail and at last the words of this sentence, of which there are many, more than a page of the cache has tokens. $1\", \
\"n_predict\": $2, \"ignore_eos\": true}"
}

for size in 80x24 140x40; do
	scene dashboard-$size ${size%x*} ${size#*x} llama serve --port $port -np 4 -c 4096 --context-shift
	wait_for "slot"
	for i in 1 2 3; do complete $i -1 & done
	for i in 4 5 6 7; do complete $i 400; done
	wait_for "limit"
	capture dashboard-$size
	end
	wait
done
