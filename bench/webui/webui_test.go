// Package webui drives the page of the server in a browser without a window. It is a module of its own, so that what drives the browser
// stays out of the product's:
//
//	cd bench/webui && go test ./...
//
// Without a Chromium on the PATH the tests are skipped.
package webui

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
)

// serveDemo serves the demo model.
func serveDemo(t *testing.T, o serve.Options) string {
	t.Helper()
	o.Model = "demo"
	s, err := serve.New(o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 2048, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) { return m, nil }); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() { h.Close(); m.Close() })
	return h.URL + o.Prefix
}

// browser opens a tab. What the page complains of on its console fails the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-headless-shell", "google-chrome", "chromium-browser"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
		}
	}
	if path == "" {
		t.Skip("there is no Chromium on the PATH")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page threw %+v", e.ExceptionDetails)
		case *runtime.EventConsoleAPICalled:
			t.Errorf("the page says %+v on its console", e.Args)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

type step = chromedp.Action[chromedp.Void]

func do(t *testing.T, ctx context.Context, what string, steps ...step) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		seen, _ := chromedp.Run(ctx, chromedp.OuterHTML(chromedp.CSS("body")))
		t.Fatalf("%s: %v; the page:\n%s", what, err, seen)
	}
}

// until waits for an expression to be true.
func until(js string) step {
	return quiet(chromedp.Poll[bool](js, chromedp.WithPollingTimeout(30*time.Second)))
}

// quiet is an action without its value.
func quiet[T any](a chromedp.Action[T]) step {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := a(ctx, t)
		return chromedp.Void{}, err
	}
}

func script(js string) step { return quiet(chromedp.Evaluate[any](js)) }

func click(selector string) step { return chromedp.Click(chromedp.CSS(selector)) }

func set(selector, value string) step { return chromedp.SetValue(chromedp.CSS(selector), value) }

func keys(selector, text string) step { return chromedp.SendKeys(chromedp.CSS(selector), text) }

// answered waits until the n-th message is a whole answer with a text.
func answered(n, text string) step {
	return until(`document.querySelectorAll("article").length === ` + n + ` && document.querySelector("article:last-child menu") !== null &&
		document.querySelector("article:last-child").textContent.includes("` + text + `")`)
}

// send types a message.
func send(text string) step { return keys("#input", text+kb.Enter) }

func TestChat(t *testing.T) {
	ctx := browser(t)
	url := serveDemo(t, serve.Options{Prefix: "/pre"})
	do(t, ctx, "open", chromedp.Navigate(url+"/"), until(`document.title === "demo"`))
	do(t, ctx, "settings", click("#show-settings"), chromedp.WaitVisible(chromedp.CSS("#temperature")), set("#temperature", "0"),
		set("#system", "You are kind."), click(`#settings button[value=save]`))
	do(t, ctx, "an answer", send("Hello!"), answered("2", "help you"))
	do(t, ctx, "what the answer cost", until(`document.querySelector("#status").textContent.includes("prompt tokens")`))
	do(t, ctx, "reasoning", send("What is 12 + 30?"), answered("4", "= 42"), until(`document.querySelector("details") !== null && !document.querySelector("details").open`))
	do(t, ctx, "again", script(`document.querySelector("article:last-child menu button").click()`), answered("4", "= 42"))
	do(t, ctx, "after a reload", chromedp.Reload(), answered("4", "= 42"))
	do(t, ctx, "taken back", keys("#input", kb.ArrowUp), until(`document.querySelector("#input").value === "What is 12 + 30?"`), answered("2", "help you"))
	do(t, ctx, "slots", click("#show-slots"), until(`document.querySelectorAll("#slots tr").length === 5 && document.querySelector("#slots").textContent.includes("idle")`))
	do(t, ctx, "a new chat", click("#new"), until(`document.querySelectorAll("article").length === 0`))
}

// TestStop: Esc ends an answer and what there is of it stays.
func TestStop(t *testing.T) {
	ctx := browser(t)
	url := serveDemo(t, serve.Options{Shift: true})
	const endless = `localStorage.setItem("llamakit-settings", JSON.stringify({ignore_eos: true, temperature: 0}))`
	do(t, ctx, "an endless answer", chromedp.Navigate(url+"/"), script(endless), send("Hello!"),
		until(`document.querySelectorAll("article").length === 2 && document.querySelector("article:last-child").textContent.length > 40`))
	do(t, ctx, "stop", chromedp.KeyEvent(kb.Escape), until(`document.querySelector("#status").textContent === "stopped"`),
		until(`document.querySelector("#send").hidden === false && document.querySelector("article:last-child").textContent.length > 40`))
}

func TestKey(t *testing.T) {
	ctx := browser(t)
	url := serveDemo(t, serve.Options{Keys: []string{"sk-a"}})
	do(t, ctx, "without a key", chromedp.Navigate(url+"/"), chromedp.WaitVisible(chromedp.CSS("#key")))
	do(t, ctx, "with the wrong one", keys("#key", "x"+kb.Enter), until(`document.querySelector("#ask-key").open`))
	do(t, ctx, "with the right one", set("#key", "sk-a"), click(`#ask-key button[value=save]`), until(`document.title === "demo"`))
	do(t, ctx, "a shared link", script(`localStorage.clear()`), chromedp.Navigate("about:blank"), chromedp.Navigate(url+"/#key=sk-a"),
		until(`document.title === "demo" && location.hash === ""`))
}

// TestMarkdown: answers are drawn, and whatever they say they do not become markup or script.
func TestMarkdown(t *testing.T) {
	ctx := browser(t)
	url := serveDemo(t, serve.Options{})
	for text, want := range map[string]string{
		"# A *b*\n\ntext **c** `d<e>`":                          `<h1>A <em>b</em></h1><p>text <strong>c</strong> <code>d&lt;e&gt;</code></p>`,
		"- a\n  - b\n- c\n\n3. d":                               `<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><ol start="3"><li>d</li></ol>`,
		"```go\nx < y\n```\nafter\nbreak":                       `<pre><code>x &lt; y</code></pre><p>after<br>break</p>`,
		"```\nnot closed":                                       `<pre><code>not closed</code></pre>`,
		"> q\n> r\n\n---":                                       `<blockquote><p>q<br>r</p></blockquote><hr>`,
		"<script>alert(1)</script><img src=x onerror=alert(1)>": `<p>&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</p>`,
		"[a](javascript:alert(1))":                              `<p>[a](javascript:alert(1))</p>`,
		"[a](https://b.c/\"onx=1)":                              `<p><a href="https://b.c/&quot;onx=1" target="_blank" rel="noopener noreferrer">a</a></p>`,
		strings.Repeat("*", 3000):                               ``,
		strings.Repeat("> ", 20000) + "deep":                    ``,
		strings.Repeat("`", 3001):                               ``,
		strings.Repeat("**a ", 900):                             ``,
		strings.Repeat("`a` ", 20000):                           ``,
		strings.Repeat("[", 3000):                               ``,
		"    - a\n- b\n \n* ":                                   ``,
	} {
		run := `import("./markdown.js").then((m) => { const d = document.createElement("div"); d.append(...m.render(` + quote(text) + `)); return d.innerHTML; })`
		await := func(p *runtime.EvaluateParams) { yes := true; p.AwaitPromise = &yes }
		do(t, ctx, text, chromedp.Navigate(url+"/"))
		got, err := chromedp.Run(ctx, chromedp.Evaluate[string](run, await))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if want != "" && got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// quote writes a text as JavaScript does.
func quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}
