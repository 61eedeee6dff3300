package vocab

import (
	"sort"
	"strings"
)

// prefixes finds the entries that a text begins with. Sorted entries are a trie: those that begin with the same bytes are
// neighbours, and each further byte narrows the range.
type prefixes struct {
	texts  []string // sorted, no two alike, none empty
	tokens []Token
	first  [257]int // texts that begin with byte b are texts[first[b]:first[b+1]]
}

// newPrefixes takes the entries that text has a spelling for. Of two entries with the same spelling the later one counts.
func newPrefixes(v *Vocab, spelling func(*word) (string, bool)) *prefixes {
	p := &prefixes{}
	for i := range v.words {
		if s, ok := spelling(&v.words[i]); ok && s != "" {
			p.texts, p.tokens = append(p.texts, s), append(p.tokens, Token(i))
		}
	}
	sort.Stable(p)
	n := 0
	for i, s := range p.texts {
		if n > 0 && p.texts[n-1] == s {
			n--
		}
		p.texts[n], p.tokens[n] = s, p.tokens[i]
		n++
	}
	p.texts, p.tokens = p.texts[:n], p.tokens[:n]
	for b := range p.first {
		p.first[b] = sort.Search(n, func(i int) bool { return int(p.texts[i][0]) >= b })
	}
	return p
}

// What sort asks for.

func (p *prefixes) Len() int           { return len(p.texts) }
func (p *prefixes) Less(i, j int) bool { return strings.Compare(p.texts[i], p.texts[j]) < 0 }
func (p *prefixes) Swap(i, j int) {
	p.texts[i], p.texts[j] = p.texts[j], p.texts[i]
	p.tokens[i], p.tokens[j] = p.tokens[j], p.tokens[i]
}

// each yields the entries that s begins with, the shortest first, and their lengths.
func (p *prefixes) each(s string, yield func(t Token, n int)) {
	if s == "" {
		return
	}
	lo, hi := p.first[s[0]], p.first[int(s[0])+1]
	for n := 1; lo < hi; n++ {
		if len(p.texts[lo]) == n {
			yield(p.tokens[lo], n)
			lo++
		}
		if n == len(s) {
			return
		}
		lo, hi = p.narrow(lo, hi, n, s[n])
	}
}

// narrow returns those of the texts [lo, hi), all of them longer than n bytes, whose byte n is b.
func (p *prefixes) narrow(lo, hi, n int, b byte) (int, int) {
	from := lo + sort.Search(hi-lo, func(i int) bool { return p.texts[lo+i][n] >= b })
	to := from + sort.Search(hi-from, func(i int) bool { return p.texts[from+i][n] > b })
	return from, to
}

// longest returns the longest entry that s begins with, and its length; None and 0 when there is none.
func (p *prefixes) longest(s string) (t Token, n int) {
	t = None
	p.each(s, func(u Token, m int) { t, n = u, m })
	return t, n
}
