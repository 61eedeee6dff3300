package export

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// curl is a command for a POSIX shell.
func (t *Talk) curl(body string) string {
	key := ""
	if t.Key {
		key = "  -H \"Authorization: Bearer $LLAMA_API_KEY\" \\\n"
	}
	return fmt.Sprintf("curl -sS --fail-with-body %s \\\n  -H 'Content-Type: application/json' \\\n%s  -d %s\n", shellQuote(t.url()), key, shellQuote(body))
}

// shellQuote makes text one word of a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// golang is a program of the standard library.
func (t *Talk) golang(body string) string {
	literal := "`" + body + "`"
	if strings.ContainsAny(body, "`\r\ufeff") {
		literal = strconv.Quote(body)
	}
	key, imports := "", `"fmt"`+"\n\t"+`"io"`+"\n\t"+`"log"`+"\n\t"+`"net/http"`+"\n\t"
	if t.Key {
		key, imports = "\trequest.Header.Set(\"Authorization\", \"Bearer \"+os.Getenv(\"LLAMA_API_KEY\"))\n", imports+`"os"`+"\n\t"
	}
	return fmt.Sprintf(goProgram, imports, literal, t.url(), key)
}

const goProgram = `package main

import (
	%s"strings"
)

const body = %s

func main() {
	request, err := http.NewRequest("POST", %q, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
%s	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		log.Fatalf("%%s: %%s", answer.Status, data)
	}
	fmt.Println(string(data))
}
`

// python is a program of the standard library.
func (t *Talk) python(body string) string {
	literal := "r'''" + body + "'''"
	if strings.Contains(body, "'''") {
		quoted, _ := json.Marshal(body) // a text can always be written; Python reads JSON's escapes of the basic plane alike
		literal = string(quoted)
	}
	key, imports := "", ""
	if t.Key {
		key, imports = `, "Authorization": "Bearer " + os.environ["LLAMA_API_KEY"]`, "import os\n"
	}
	return fmt.Sprintf(pythonProgram, imports, literal, t.url(), key)
}

const pythonProgram = `%simport urllib.request

body = %s

request = urllib.request.Request(
    %q,
    data=body.encode(),
    headers={"Content-Type": "application/json"%s},
)
with urllib.request.urlopen(request) as answer:
    print(answer.read().decode())
`
