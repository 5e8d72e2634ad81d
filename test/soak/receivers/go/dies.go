// Dies after 150 webhooks, as of a leak.
package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"sync/atomic"
)

var received int64

func main() {
	serve(func(w http.ResponseWriter, r *http.Request) {
		if atomic.AddInt64(&received, 1) > 150 {
			os.Exit(137)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || !isAuthentic(r, body) {
			http.Error(w, "invalid signature", http.StatusUnauthorized)
			return
		}
		var event struct {
			Type string
			Data struct{ Object struct{ Code string } }
		}
		if json.Unmarshal(body, &event) != nil {
			http.Error(w, "invalid JSON", http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if event.Type == "pix.settled" {
			orderOf(event.Data.Object.Code).Status = "PAID"
		}
	})
}
