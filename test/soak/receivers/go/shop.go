package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Order is what the application holds.
type Order struct {
	Status string      `json:"status"`
	Paid   interface{} `json:"paid,omitempty"`
	Count  int         `json:"count"`
}

var (
	mu     sync.Mutex
	orders = map[string]*Order{}
)

func orderOf(code string) *Order {
	if orders[code] == nil {
		orders[code] = &Order{Status: "PENDING"}
	}
	return orders[code]
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func webhookKey() []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SANDBOX_WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		log.Fatal(err)
	}
	return key
}

func isRecent(timestamp string) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	age := time.Now().Unix() - seconds
	return err == nil && age <= 300 && age >= -300
}

// isAuthentic verifies a webhook as Standard Webhooks says it.
func isAuthentic(r *http.Request, body []byte) bool {
	id, timestamp := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
	if id == "" || !isRecent(timestamp) {
		return false
	}
	expected := mac(webhookKey(), id+"."+timestamp+"."+string(body))
	for _, entry := range strings.Fields(r.Header.Get("webhook-signature")) {
		given, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(entry, "v1,"))
		if err == nil && strings.HasPrefix(entry, "v1,") && hmac.Equal(given, expected) {
			return true
		}
	}
	return false
}

func createCharge(code, amount string) error {
	const path = "/api/public/v1/pix"
	body, _ := json.Marshal(map[string]string{"account_id": os.Getenv("SANDBOX_ACCOUNT_ID"), "code": code, "amount": amount})
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	random := make([]byte, 16)
	rand.Read(random)
	nonce := hex.EncodeToString(random)
	text := fmt.Sprintf("%s.%s.POST.%s.%x", timestamp, nonce, path, sha256.Sum256(body))
	request, err := http.NewRequest("POST", os.Getenv("SANDBOX_BASE_URL")+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("SANDBOX_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Timestamp", timestamp)
	request.Header.Set("X-Nonce", nonce)
	request.Header.Set("X-Signature", hex.EncodeToString(mac([]byte(os.Getenv("SANDBOX_SIGNING_SECRET")), text)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return fmt.Errorf("POST %s: %s", path, response.Status)
	}
	return nil
}

// serve adds the orders to a webhook handler, and listens.
func serve(webhooks http.HandlerFunc) {
	http.HandleFunc("/webhooks", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		webhooks(w, r)
	})
	http.HandleFunc("/orders/", func(w http.ResponseWriter, r *http.Request) {
		code := strings.TrimPrefix(r.URL.Path, "/orders/")
		if r.Method == http.MethodPut {
			mu.Lock()
			orderOf(code)
			mu.Unlock()
			amount := r.URL.Query().Get("amount")
			if amount == "" {
				amount = "10.00"
			}
			if err := createCharge(code, amount); err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
			}
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if orders[code] == nil {
			http.NotFound(w, r)
			return
		}
		json.NewEncoder(w).Encode(orders[code])
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
