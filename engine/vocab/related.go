package vocab

// blankless is the tokenizer "whitespace": white space separates and is dropped, and what is between is encoded by itself.
type blankless struct {
	*bpe
	lowercase bool
}
