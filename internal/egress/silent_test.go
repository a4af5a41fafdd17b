package egress_test

import (
	"bufio"
	"context"
	"net"
	"net/http"

	"countersign/internal/egress"
)

// silentGuard leads to a server that reads the request, writes the given bytes and then says nothing more. It lives in
// memory, so that a fake clock can drive it.
func silentGuard(answer []byte) *egress.Guard {
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			reader := bufio.NewReader(server)
			if _, err := http.ReadRequest(reader); err != nil {
				return
			}
			if _, err := server.Write(answer); err != nil {
				return
			}
			_, _ = reader.ReadByte() // until the client hangs up
		}()
		return client, nil
	}
	return egress.New(egress.Options{Resolver: answers{"www.example.com.": {"8.8.8.8"}}, Dial: dial, OwnAddrs: noOwnAddrs})
}
