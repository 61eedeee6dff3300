package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// strftime formats t as the C function does in the C locale, which is what Python's does on Linux; %z and %Z are empty,
// as for a Python time without a zone. Flags of the GNU library are known: %-d, %_d, %0e, %^a.
func strftime(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		start := i
		i++
		flag := byte(0)
		if strings.IndexByte("-_0^#", format[i]) >= 0 && i+1 < len(format) {
			flag = format[i]
			i++
		}
		width, skip := directiveWidth(format[i:])
		i += skip
		text, ok := directive(t, format[i], flag, width)
		if !ok {
			text = format[start : i+1]
		}
		b.WriteString(text)
	}
	return b.String()
}

// directiveWidth reads the number of %10d, and how long it is.
func directiveWidth(t string) (width, length int) {
	for length < len(t)-1 && length < 3 && isDecimal(t[length]) {
		width = width*10 + int(t[length]-'0')
		length++
	}
	return width, length
}

// directive formats one, to a width if one is wanted; false when there is none of that letter.
func directive(t time.Time, c, flag byte, wanted int) (string, bool) {
	if n, width, fill, ok := numericDirective(t, c); ok {
		if wanted > 0 {
			width = wanted
		}
		return padNumber(n, width, fill, flag), true
	}
	text, ok := textDirective(t, c)
	switch flag {
	case '^':
		text = strings.ToUpper(text)
	case '#':
		text = changeCase(c, text)
	}
	return text, ok
}

func changeCase(c byte, text string) string {
	if c == 'p' || c == 'Z' {
		return strings.ToLower(text)
	}
	return strings.ToUpper(text)
}

func numericDirective(t time.Time, c byte) (n, width int, fill byte, ok bool) {
	isoYear, isoWeek := t.ISOWeek()
	switch c {
	case 'd':
		return t.Day(), 2, '0', true
	case 'e':
		return t.Day(), 2, ' ', true
	case 'm':
		return int(t.Month()), 2, '0', true
	case 'y':
		return t.Year() % 100, 2, '0', true
	case 'Y':
		return t.Year(), 0, '0', true
	case 'C':
		return t.Year() / 100, 2, '0', true
	case 'G':
		return isoYear, 0, '0', true
	case 'g':
		return isoYear % 100, 2, '0', true
	case 'V':
		return isoWeek, 2, '0', true
	case 'u':
		return (int(t.Weekday())+6)%7 + 1, 1, '0', true
	case 'w':
		return int(t.Weekday()), 1, '0', true
	case 'U':
		return (t.YearDay() + 6 - int(t.Weekday())) / 7, 2, '0', true
	case 'W':
		return (t.YearDay() + 6 - (int(t.Weekday())+6)%7) / 7, 2, '0', true
	case 'j':
		return t.YearDay(), 3, '0', true
	}
	return clockDirective(t, c)
}

// clockDirective has the directives finer than a day; Template.UsesClock looks for them.
func clockDirective(t time.Time, c byte) (n, width int, fill byte, ok bool) {
	hour12 := (t.Hour()+11)%12 + 1
	switch c {
	case 'H':
		return t.Hour(), 2, '0', true
	case 'k':
		return t.Hour(), 2, ' ', true
	case 'I':
		return hour12, 2, '0', true
	case 'l':
		return hour12, 2, ' ', true
	case 'M':
		return t.Minute(), 2, '0', true
	case 'S':
		return t.Second(), 2, '0', true
	case 'f':
		return t.Nanosecond() / 1000, 6, '0', true
	case 's':
		return int(t.Unix()), 0, '0', true
	}
	return 0, 0, 0, false
}

func padNumber(n, width int, fill, flag byte) string {
	switch flag {
	case '-':
		return strconv.Itoa(n)
	case '_':
		fill = ' '
	case '0':
		fill = '0'
	}
	if fill == ' ' {
		return fmt.Sprintf("%*d", width, n)
	}
	return fmt.Sprintf("%0*d", width, n)
}

// composites are directives that stand for others.
var composites = map[byte]string{
	'c': "%a %b %e %H:%M:%S %Y", 'x': "%m/%d/%y", 'X': "%H:%M:%S", 'D': "%m/%d/%y", 'F': "%Y-%m-%d",
	'T': "%H:%M:%S", 'R': "%H:%M", 'r': "%I:%M:%S %p",
}

func textDirective(t time.Time, c byte) (string, bool) {
	if format, ok := composites[c]; ok {
		return strftime(t, format), true
	}
	switch c {
	case 'a':
		return t.Format("Mon"), true
	case 'A':
		return t.Format("Monday"), true
	case 'b', 'h':
		return t.Format("Jan"), true
	case 'B':
		return t.Format("January"), true
	case 'p':
		return t.Format("PM"), true
	case 'P':
		return t.Format("pm"), true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case '%':
		return "%", true
	case 'z', 'Z':
		return "", true
	}
	return "", false
}

// finerThanDay reports that texts made with the format change within a day.
func finerThanDay(format string) bool {
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		for i+1 < len(format) && strings.IndexByte("-_0^#", format[i]) >= 0 {
			i++
		}
		if strings.IndexByte("HkIlMSfspPcXTRr", format[i]) >= 0 {
			return true
		}
	}
	return false
}
