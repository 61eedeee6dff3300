#!/bin/sh
# Drives the views of the terminal program in tmux, on the embedded model, and writes what the screen shows into files: the
# pictures in docs.
#
#	bench/screens/run.sh [FOLDER [VIEW...]]
#
# Without names all views are driven, each by VIEW.sh beside this file. A scene begins with `scene NAME COLUMNS ROWS llama ARGUMENT...`
# and ends with `end`; between them are key, keys, type_line, wait_for and capture.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:-$here}
[ $# -gt 0 ] && shift
work=$(mktemp -d)
socket=llamakit-screens-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT INT TERM

(cd "$root" && CGO_ENABLED=0 go build -o "$work/llama" ./tools/llama)
mkdir -p "$out" "$work/state"
out=$(cd "$out" && pwd)

in_tmux() { tmux -L "$socket" -f /dev/null "$@"; }

# scene NAME COLUMNS ROWS llama ARGUMENT... starts the program on a screen of its own.
scene() {
	session=$1 columns=$2 rows=$3 tool=$work/$4
	shift 4
	in_tmux new-session -d -s "$session" -x "$columns" -y "$rows" env XDG_STATE_HOME="$work/state" "$tool" "$@"
	wait_for "F1"
}

key() { in_tmux send-keys -t "$session" "$@"; }
keys() { in_tmux send-keys -t "$session" -l "$1"; }
type_line() { keys "$1" && key Enter; }

# wait_for TEXT waits until the screen shows it, for ten seconds at most.
wait_for() {
	tries=0
	until in_tmux capture-pane -p -t "$session" 2>/dev/null | grep -qF -- "$1"; do
		tries=$((tries + 1))
		if [ $tries -gt 100 ]; then
			echo "$session: no \"$1\" on the screen:" >&2
			in_tmux capture-pane -p -t "$session" >&2
			exit 1
		fi
		sleep 0.1
	done
}

capture() { in_tmux capture-pane -p -t "$session" | sed 's/ *$//' >"$out/$1.txt" && echo "$out/$1.txt"; }
end() { in_tmux kill-session -t "$session"; }

[ $# -gt 0 ] || set -- $(cd "$here" && ls *.sh | sed 's/\.sh$//' | grep -vx run)
for view in "$@"; do
	. "$here/$view.sh"
done
