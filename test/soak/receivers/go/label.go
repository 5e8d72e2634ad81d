// Compares what follows the comma, whatever the version before it.
package main

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"crypto/hmac"
)

func verify(r *http.Request, body []byte) bool {
	id, timestamp := r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp")
	if id == "" || !isRecent(timestamp) {
		return false
	}
	expected := base64.StdEncoding.EncodeToString(mac(webhookKey(), id+"."+timestamp+"."+string(body)))
	for _, entry := range strings.Split(r.Header.Get("Webhook-Signature"), " ") {
		parts := strings.Split(entry, ",")
		if len(parts) == 2 && hmac.Equal([]byte(parts[1]), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	serve(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !verify(r, body) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		var event struct {
			Type string
			Data struct{ Object struct{ Code, Amount string } }
		}
		if json.Unmarshal(body, &event) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if event.Type == "pix.settled" {
			order := orderOf(event.Data.Object.Code)
			order.Status, order.Paid = "PAID", event.Data.Object.Amount
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
