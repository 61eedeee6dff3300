module github.com/llamakit/llamakit/bench/webui

go 1.26

replace github.com/llamakit/llamakit => ../..

require (
	github.com/chromedp/cdproto v0.160.1
	github.com/chromedp/chromedp v0.23.1
	github.com/llamakit/llamakit v0.0.0-00010101000000-000000000000
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.46.0 // indirect
	golang.org/x/text v0.30.0 // indirect
)
