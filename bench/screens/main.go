// Screens shows the dashboard of a server with the demo model in tmux, as large as a terminal is and as a large one, and puts what is seen
// into the document:
//
//	go run ./bench/screens -update docs/server.md
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	begin = "<!-- screens: begin -->\n"
	end   = "<!-- screens: end -->\n"
)

func main() {
	update := flag.String("update", "", "document whose screens are replaced (default: print them)")
	flag.Parse()
	if err := run(*update); err != nil {
		fmt.Fprintln(os.Stderr, "screens:", err)
		os.Exit(1)
	}
}

func run(update string) error {
	work, err := os.MkdirTemp("", "llamakit-screens-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	server := filepath.Join(work, "llama-server")
	if out, err := exec.Command("go", "build", "-o", server, "./tools/server").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	var text strings.Builder
	for _, size := range [][2]int{{80, 24}, {140, 40}} {
		screen, err := capture(server, filepath.Join(work, "tmux"), size[0], size[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "\n%d columns, %d lines:\n\n```\n%s```\n", size[0], size[1], screen)
	}
	if update == "" {
		fmt.Print(text.String())
		return nil
	}
	data, err := os.ReadFile(update)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(data, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s: has no lines %q and %q for the screens", update, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(update, []byte(string(before)+begin+text.String()+"\n"+end+string(after)), 0o644)
}

// capture runs the server in a terminal of its own, asks it for a while, and returns what is on the screen.
func capture(server, socket string, width, height int) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	tmux := func(args ...string) (string, error) {
		out, err := exec.Command("tmux", append([]string{"-S", socket}, args...)...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("tmux %s: %w\n%s", args[0], err, out)
		}
		return string(out), err
	}
	command := fmt.Sprintf("%s --port %s -np 4 -c 4096 --context-shift", server, port)
	if _, err := tmux("new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), command); err != nil {
		return "", err
	}
	defer func() { _, _ = tmux("kill-server") }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := traffic(ctx, "http://"+address); err != nil {
		return "", err
	}
	time.Sleep(9 * time.Second)
	screen, err := tmux("capture-pane", "-p")
	return strings.ReplaceAll(screen, address, "127.0.0.1:9931"), err
}

// traffic are four answers that end, one after another, beside three answers that go on until ctx ends.
func traffic(ctx context.Context, url string) error {
	for range 200 {
		if res, err := http.Get(url + "/health"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				break
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	post := func(path, body string) error {
		r, err := http.NewRequestWithContext(ctx, "POST", url+path, strings.NewReader(body))
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
		return err
	}
	story := strings.Repeat("a story of a llama that learns to count, ", 12)
	for i := range 3 {
		go func() {
			_ = post("/completion", fmt.Sprintf(`{"prompt":"%s %d","n_predict":-1,"ignore_eos":true,"stream":true}`, story, i))
		}()
	}
	for i := range 4 {
		if err := post("/completion", fmt.Sprintf(`{"prompt":"%s %d","n_predict":300,"ignore_eos":true}`, story[i*40:], i)); err != nil {
			return err
		}
	}
	return nil
}
