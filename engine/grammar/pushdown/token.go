package pushdown

// TokenByte begins a token that is meant itself, and not its text: UTF-8 has no such byte.
const TokenByte = 0xFF

// Digits of a token's number: TokenDigits bytes from 0 to TokenBase-1 follow TokenByte, the highest first.
const (
	TokenDigits = 4
	TokenBase   = 64
)

// AppendToken appends the bytes that stand for a token, whose number is below TokenBase^TokenDigits.
func AppendToken(dst []byte, token int32) []byte {
	return append(dst, TokenByte, byte(token>>18&63), byte(token>>12&63), byte(token>>6&63), byte(token&63))
}

// Union returns the state after either of two texts.
func (b *Builder) Union(x, y *State) (*State, error) {
	b.begin()
	for _, s := range []*State{x, y} {
		for _, t := range s.threads {
			if old := b.out[t.term]; old != nil {
				b.out[t.term] = b.union(old, t.then)
			} else {
				b.out[t.term] = t.then
			}
		}
	}
	b.final = x.final || y.final
	return b.finish()
}
