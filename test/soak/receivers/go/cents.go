// Divides the amount by 100, as where amounts are in cents.
package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
)

func main() {
	serve(func(w http.ResponseWriter, r *http.Request) {
		const MaxBodyBytes = int64(1048576)
		r.Body = http.MaxBytesReader(w, r.Body, MaxBodyBytes)
		payload, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if !isAuthentic(r, payload) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var event struct {
			Type string `json:"type"`
			Data struct {
				Object struct {
					Code   string `json:"code"`
					Amount string `json:"amount"`
				} `json:"object"`
			} `json:"data"`
		}
		if err := json.Unmarshal(payload, &event); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if event.Type == "pix.settled" {
			amount, _ := strconv.ParseFloat(event.Data.Object.Amount, 64)
			mu.Lock()
			order := orderOf(event.Data.Object.Code)
			order.Status, order.Paid = "PAID", amount/100
			mu.Unlock()
		}
		w.WriteHeader(http.StatusOK)
	})
}
