// Refuses fields that the envelope does not have today.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

type Event struct {
	ID            string `json:"id"`
	Type          string `json:"type"`
	SchemaVersion int    `json:"schema_version"`
	Timestamp     string `json:"timestamp"`
	Environment   string `json:"environment"`
	Data          struct {
		Object map[string]interface{} `json:"object"`
	} `json:"data"`
}

func main() {
	serve(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !isAuthentic(r, body) {
			http.Error(w, "invalid signature", http.StatusUnauthorized)
			return
		}
		var event Event
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&event); err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		code, _ := event.Data.Object["code"].(string)
		mu.Lock()
		defer mu.Unlock()
		if event.Type == "pix.settled" {
			order := orderOf(code)
			order.Status, order.Paid = "PAID", event.Data.Object["amount"]
		} else if order := orders[code]; event.Type == "pix.expired" && order != nil && order.Status == "PENDING" {
			order.Status = "EXPIRED"
		}
	})
}
