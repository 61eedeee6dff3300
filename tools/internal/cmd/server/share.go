package server

import (
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/llamakit/llamakit/tools/internal/qr"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// resolveShare makes the server reachable from the local network, for who has the key.
func (o *options) resolveShare() error {
	if len(o.serve.Hosts) == 0 {
		address, err := lanAddress()
		if err != nil {
			return err
		}
		o.serve.Hosts = []string{address, "127.0.0.1"} // the first is shown
	}
	if o.serve.NoAuth {
		return run.Usagef("--share makes a key, --no-auth wants none")
	}
	if len(o.serve.Keys) == 0 {
		o.serve.Keys = []string{"sk-" + strings.ToLower(rand.Text())}
	}
	return nil
}

// lanAddress is the address that others in the local network see. Connecting a UDP socket sends nothing; it asks the system
// for the way.
func lanAddress() (string, error) {
	if c, err := net.Dial("udp", "192.0.2.1:9"); err == nil { // an address for documentation, RFC 5737
		defer c.Close()
		if a, ok := c.LocalAddr().(*net.UDPAddr); ok && !a.IP.IsLoopback() {
			return a.IP.String(), nil
		}
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			return n.IP.String(), nil
		}
	}
	return "", fmt.Errorf("this machine has no address in a local network; give one with --host")
}

// printShare tells how to get here: a link with the key in its fragment, which browsers send to nobody, and a line for curl.
func printShare(w io.Writer, url, key string) {
	link := url + "/#key=" + key
	fmt.Fprintf(w, "\nshare this with who may ask:\n\n  %s\n\n", link)
	if code, err := qr.Encode(link); err == nil {
		fmt.Fprintln(w, code)
	}
	fmt.Fprintf(w, "  curl %s/v1/chat/completions -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' \\\n", url, key)
	fmt.Fprint(w, "    -d '{\"messages\": [{\"role\": \"user\", \"content\": \"Hello!\"}]}'\n\n")
}
