package bench

import (
	"fmt"
	"io"
	"strings"
)

type csvWriter struct {
	w     io.Writer
	extra []string
}

func (c *csvWriter) Begin() error {
	_, err := fmt.Fprintln(c.w, strings.Join(names(c.extra), ","))
	return err
}

func (c *csvWriter) Write(r *Result) error {
	texts := columns(r, c.extra)
	for i, t := range texts {
		texts[i] = `"` + strings.ReplaceAll(t, `"`, `""`) + `"`
	}
	_, err := fmt.Fprintln(c.w, strings.Join(texts, ","))
	return err
}

func (*csvWriter) Close() error { return nil }

type sqlWriter struct {
	w     io.Writer
	extra []string
}

func (s *sqlWriter) Begin() error {
	lines := make([]string, len(Fields))
	for i, f := range Fields {
		lines[i] = fmt.Sprintf("  %s %s", f.Name, [...]string{"TEXT", "INTEGER", "REAL", "INTEGER"}[f.Kind])
	}
	for _, name := range s.extra {
		kind := "REAL"
		if strings.HasSuffix(name, "_by") || strings.HasSuffix(name, "_build") {
			kind = "TEXT"
		}
		lines = append(lines, fmt.Sprintf("  %s %s", name, kind))
	}
	_, err := fmt.Fprintf(s.w, "CREATE TABLE IF NOT EXISTS llama_bench (\n%s\n);\n\n", strings.Join(lines, ",\n"))
	return err
}

func (s *sqlWriter) Write(r *Result) error {
	texts := columns(r, s.extra)
	for i, t := range texts {
		texts[i] = "'" + strings.ReplaceAll(t, "'", "''") + "'"
	}
	_, err := fmt.Fprintf(s.w, "INSERT INTO llama_bench (%s) VALUES (%s);\n", strings.Join(names(s.extra), ", "), strings.Join(texts, ", "))
	return err
}

func (*sqlWriter) Close() error { return nil }

// markdown is a table whose columns are settled before the first row.
type markdown struct {
	w       io.Writer
	columns []heading
	build   string
}

// heading is a column of the table: negative widths stand left.
type heading struct {
	name  string
	width int
	cell  func(r *Result) string
}

// shown are the columns that a table has only where a row differs from llama.cpp's default, in order. The empty field is where
// threads, which are always there, stand.
var shown = []struct {
	field, name, def string
	width            int
}{
	{"n_cpu_moe", "n_cpu_moe", "", 10}, {"", "", "", 0}, {"cpu_mask", "cpu_mask", "", -10}, {"cpu_strict", "cpu_strict", "", 10},
	{"poll", "poll", "", 10}, {"n_batch", "n_batch", "2048", 7}, {"n_ubatch", "n_ubatch", "512", 8}, {"type_k", "type_k", "f16", 6},
	{"type_v", "type_v", "f16", 6}, {"main_gpu", "main_gpu", "", 10}, {"split_mode", "sm", "", 6}, {"no_kv_offload", "nkvo", "", 13}, {"flash_attn", "fa", "-1", 3},
	{"devices", "dev", "", -12}, {"tensor_split", "ts", "", -12}, {"tensor_buft_overrides", "ot", "", -21},
	{"load_mode", "lm", "", 10}, {"lazy_mode", "lazy_mode", "", -10}, {"embeddings", "embd", "", 10}, {"no_op_offload", "nopo", "", 4},
	{"no_host", "noh", "", 4}, {"repack", "rpk", "", 3}, {"fit_target", "fitt", "", 10}, {"fit_min_ctx", "fitc", "", 11},
}

func newMarkdown(w io.Writer, rows []Params, extra []string) *markdown {
	m := &markdown{w: w}
	m.add("model", -30, func(r *Result) string { return r.Description })
	m.add("size", 10, func(r *Result) string { return sizeText(r.Size) })
	m.add("params", 10, func(r *Result) string { return countText(r.Parameters) })
	m.add("backend", -10, func(r *Result) string { return r.Backends })
	for _, c := range shown {
		if c.field == "" {
			m.add("threads", 7, FieldNamed("n_threads").Text)
			continue
		}
		f := FieldNamed(c.field)
		def := c.def
		if f.Echo {
			def = f.Default
		}
		for i := range rows {
			if f.Text(&Result{Params: rows[i]}) != def {
				m.add(c.name, c.width, f.Text)
				break
			}
		}
	}
	m.add("test", 15, func(r *Result) string { return r.Test() })
	m.add("t/s", 20, func(r *Result) string { a, d := r.Speed(); return fmt.Sprintf("%.2f ± %.2f", a, d) })
	for _, name := range extra {
		m.addExtra(name)
	}
	return m
}

// addExtra adds a further column under a name for people. The interval of a ratio is in its own cell.
func (m *markdown) addExtra(name string) {
	switch name {
	case "ratio_low", "ratio_high", "ratio_p", "vs_build":
	case "ratio":
		m.add("ratio", 20, (*Result).ratioText)
	default:
		heads := map[string]string{"limit_ts": "limit t/s", "percent_of_limit": "% of limit", "limited_by": "limited by", "vs_avg_ts": "vs t/s",
			"avg_joules": "joules", "tokens_per_joule": "tokens/joule"}
		m.add(heads[name], 10, func(r *Result) string { return r.extraShort(name) })
	}
}

func (m *markdown) add(name string, width int, cell func(*Result) string) {
	if width > 0 {
		width = max(width, len(name))
	}
	m.columns = append(m.columns, heading{name, width, cell})
}

func (m *markdown) Begin() error {
	var b strings.Builder
	for _, c := range m.columns {
		fmt.Fprintf(&b, "| %*s ", c.width, c.name)
	}
	b.WriteString("|\n")
	for _, c := range m.columns {
		if c.width < 0 {
			fmt.Fprintf(&b, "| %s ", strings.Repeat("-", -c.width))
		} else {
			fmt.Fprintf(&b, "| %s: ", strings.Repeat("-", c.width-1))
		}
	}
	_, err := io.WriteString(m.w, b.String()+"|\n")
	return err
}

func (m *markdown) Write(r *Result) error {
	var b strings.Builder
	for _, c := range m.columns {
		fmt.Fprintf(&b, "| %*s ", c.width, strings.ReplaceAll(c.cell(r), "|", `\|`))
	}
	m.build = fmt.Sprintf("\nbuild: %s (%d)\n", r.Commit, r.Number)
	if other := r.extra("vs_build"); other != "" {
		m.build += fmt.Sprintf("vs: %s; ratios are ours to theirs, with 95%% intervals\n", other)
	}
	_, err := io.WriteString(m.w, b.String()+"|\n")
	return err
}

func (m *markdown) Close() error {
	if m.build == "" {
		x := ThisMachine()
		m.build = fmt.Sprintf("\nbuild: %s (%d)\n", x.Commit, x.Number)
	}
	_, err := io.WriteString(m.w, m.build)
	return err
}

// extraShort is a further column for people.
func (r *Result) extraShort(name string) string {
	for _, x := range r.Extra {
		if x.Name != name {
			continue
		}
		if v, ok := x.Value.(float64); ok {
			return fmt.Sprintf("%.2f", v)
		}
		return plain(x.Value)
	}
	return ""
}

func sizeText(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
}

func countText(n int64) string {
	if n >= 1e9 {
		return fmt.Sprintf("%.2f B", float64(n)/1e9)
	}
	return fmt.Sprintf("%.2f M", float64(n)/1e6)
}
