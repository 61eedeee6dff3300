package vocab

import (
	"math/rand/v2"
	"strings"
)

// scraps are what random texts are made of: everything that some split pattern, tokenizer or special token reacts to.
var scraps = []string{
	" ", " ", " ", "  ", "   ", "    ", "\t", "\t\t", "\n", "\n\n", "\r", "\r\n", " \n", "\n ", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u3000",
	"'s", "'S", "'t", "'re", "'RE", "'Ve", "'m", "'ll", "'lL", "'d", "'", "'x", "\u2019s", "'ſ",
	"a", "b", "the", "The", "HELLO", "Hello", "hello", "camelCase", "XMLHttp", "Z", "éA", "Éa", "ÀÉÎ", "naïve", "ß", "ﬁ", "ǅ", "ʰ", "ª", "µ", "İ", "ſ", "K", "straße", "Ωmega", "ω",
	"привет", "ПРИВЕТ", "ქართული", "Ⴀ", "ᏣᎳᎩ", "ꭰ", "հայ", "שלום", "مرحبا", "हिन्दी", "தமிழ்", "ไทย", "ລາວ", "ខ្មែរ", "မြန်မာ", "한국어", "ᄒ", "ᅡ", "ᆫ", "ㄱ", "ㄅ", "漢", "漢字", "日本語", "カタカナ", "ｶﾅ", "ひらがな", "𠀀", "\U0002ebf0", "々", "〇", "㐀", "豈",
	"e\u0301", "\u0301", "\u0308\u0301", "\u093f", "\u20dd", "\ufe0f", "a\u0315\u0300", "\u1100\u1161\u11a8", "\u0e33",
	"0", "1", "12", "123", "1234", "12345", "1234567", "3.14", "1,000", "²", "½", "Ⅳ", "①", "١٢٣", "१२३", "１２３", "𝟘𝟙", "五",
	".", ",", "!", "?", "...", "…", "。", "、", "，", "！", "：", "؟", "،", "۔", "।", "-", "_", "#", "%", "&", "*", "/", "//", "\\", "(", ")", "[", "]", "{", "}", "\"", "“", "”", "‘", "—", "«", "¿", "@", "|", "〜", "︰",
	"$", "+", "<", "=", ">", "^", "`", "~", "<=", "==", "€", "£", "±", "×", "∑", "→", "©", "™", "🦙", "👨‍👩‍👧", "🇫🇷", "🏽", "⿼", "㇯", "\ufffd",
	"\x01", "\x1c", "\x1f", "\x7f", "\u0080", "\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\u2060", "\ufeff", "\ue000", "\U000f0000", "\u0378", "\U000e0041", "\uffff",
	"▁", "▁▁", "Ġ", "Ċ", "##", "<0x0A>", "<0xFF>", "<sentinel:12>", "<sentinel:>", "IMGIMGABZ", "IMGIMGABCDEZ", "a/b", "://", "https://example.org/?q=1", "x_1", "user@example.org",
	"<s>", "</s>", "<unk>", "<pad>", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|", "|>", "[CLS]", "[SEP]", "[MASK]", "<mask>", "<|end|>", "<|user|>",
}

// broken are bytes that are no UTF-8.
var broken = []string{"\x80", "\xbf", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe2\x82", "\xe0\x80\x80", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x9f\xa6", "\xf0\x80\x80\x80", "\xf8", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf7\xbf\xbf\xbf", "\xff", "\xe2\x96"}

// randomText joins up to n scraps, some of which come from extra. Few texts have bytes that are no UTF-8.
func randomText(r *rand.Rand, n int, extra []string) string {
	var b strings.Builder
	bad := r.IntN(8) == 0
	for range 1 + r.IntN(n) {
		switch k := r.IntN(20); {
		case k == 0 && len(extra) > 0:
			b.WriteString(extra[r.IntN(len(extra))])
		case k == 1 && bad:
			b.WriteString(broken[r.IntN(len(broken))])
		case k == 2:
			b.WriteString(strings.Repeat(scraps[r.IntN(len(scraps))], 1+r.IntN(9)))
		case k == 3:
			b.WriteRune(rune(1 + r.IntN(0x2ffff)))
		case k == 4:
			b.WriteByte(byte(1 + r.IntN(127)))
		default:
			b.WriteString(scraps[r.IntN(len(scraps))])
		}
	}
	return b.String()
}
