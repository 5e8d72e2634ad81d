// Marks the id before the work, which ends with the context of the request when the sender leaves.
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

var seen = map[string]bool{}

// credit stands for a transaction that takes 150 ms and is rolled back with its context.
func credit(ctx context.Context, code, amount string) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(150 * time.Millisecond):
	}
	mu.Lock()
	defer mu.Unlock()
	order := orderOf(code)
	order.Status, order.Paid = "PAID", amount
	order.Count++
	return nil
}

func main() {
	serve(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !isAuthentic(r, body) {
			http.Error(w, "invalid signature", http.StatusUnauthorized)
			return
		}
		var event struct {
			Type string
			Data struct{ Object struct{ Code, Amount string } }
		}
		if json.Unmarshal(body, &event) != nil {
			http.Error(w, "invalid JSON", http.StatusBadRequest)
			return
		}
		id := r.Header.Get("webhook-id")
		mu.Lock()
		known := seen[id]
		seen[id] = true
		mu.Unlock()
		if known || event.Type != "pix.settled" {
			return
		}
		if err := credit(r.Context(), event.Data.Object.Code, event.Data.Object.Amount); err != nil {
			http.Error(w, "try again", http.StatusInternalServerError)
		}
	})
}
