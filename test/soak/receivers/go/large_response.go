// Correct: responds with 400 KB, such as a dump of everything it knows.
package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

var seen = map[string]bool{}

func main() {
	serve(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !isAuthentic(r, body) {
			http.Error(w, "invalid signature", http.StatusUnauthorized)
			return
		}
		var event struct {
			Type string
			Data struct {
				Object struct{ Code, Amount string }
			}
		}
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(w, "invalid JSON", http.StatusBadRequest)
			return
		}
		mu.Lock()
		if id := r.Header.Get("webhook-id"); !seen[id] {
			seen[id] = true
			apply(event.Type, event.Data.Object.Code, event.Data.Object.Amount)
		}
		mu.Unlock()
		io.WriteString(w, strings.Repeat("received, thank you\n", 20_000))
	})
}

func apply(kind, code, amount string) {
	switch kind {
	case "pix.settled":
		order := orderOf(code)
		order.Status, order.Paid = "PAID", amount
		order.Count++
	case "pix.expired", "pix.failed":
		if order := orderOf(code); order.Status == "PENDING" {
			order.Status = "CLOSED"
		}
	}
}
