// Package hotel confirms reservations by PIX. An unpaid reservation is released when its charge expires.
package hotel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type State string

const (
	Held      State = "held"
	Confirmed State = "confirmed"
	Released  State = "released"
)

type reservation struct {
	Guest string
	State State
}

type Hotel struct {
	lock         sync.Mutex
	reservations map[string]*reservation
	webhooks     map[string]struct{}
	client       http.Client
}

func NewHotel() *Hotel {
	return &Hotel{
		reservations: make(map[string]*reservation),
		webhooks:     make(map[string]struct{}),
		client:       http.Client{Timeout: 4 * time.Second},
	}
}

func (h *Hotel) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/reserve", h.reserve)
	mux.HandleFunc("/state", h.state)
	mux.HandleFunc("/webhooks", h.webhook)
	return mux
}

func (h *Hotel) reserve(w http.ResponseWriter, r *http.Request) {
	code, guest := r.FormValue("code"), r.FormValue("guest")
	h.lock.Lock()
	if _, exists := h.reservations[code]; !exists {
		h.reservations[code] = &reservation{guest, Held}
	}
	h.lock.Unlock()
	for try := 1; try <= 5; try++ {
		qrCode, err := h.charge(code, "350.00")
		if err == nil {
			fmt.Fprint(w, qrCode)
			return
		}
		log.Printf("try %d: %v", try, err)
		time.Sleep(150 * time.Millisecond)
	}
	http.Error(w, "PIX is not available", http.StatusServiceUnavailable)
}

func (h *Hotel) charge(code, amount string) (string, error) {
	const path = "/api/public/v1/pix"
	body := fmt.Sprintf(`{"code":%q,"account_id":%q,"amount":%q}`, code, os.Getenv("SANDBOX_ACCOUNT_ID"), amount)
	timestamp := fmt.Sprint(time.Now().Unix())
	nonce := fmt.Sprintf("hotel-%d-%d", time.Now().UnixNano(), rand.Int63())
	mac := hmac.New(sha256.New, []byte(os.Getenv("SANDBOX_SIGNING_SECRET")))
	fmt.Fprintf(mac, "%s.%s.POST.%s.%x", timestamp, nonce, path, sha256.Sum256([]byte(body)))
	request, err := http.NewRequest("POST", os.Getenv("SANDBOX_BASE_URL")+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + os.Getenv("SANDBOX_TOKEN"),
		"Content-Type":  "application/json",
		"X-Timestamp":   timestamp,
		"X-Nonce":       nonce,
		"X-Signature":   fmt.Sprintf("%x", mac.Sum(nil)),
	} {
		request.Header.Set(name, value)
	}
	response, err := h.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var charge struct {
		QRCode string `json:"qr_code"`
	}
	if err := json.NewDecoder(response.Body).Decode(&charge); err != nil {
		return "", err
	}
	if charge.QRCode == "" {
		return "", fmt.Errorf("no QR code: %s", response.Status)
	}
	return charge.QRCode, nil
}

func (h *Hotel) state(w http.ResponseWriter, r *http.Request) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if found, ok := h.reservations[r.FormValue("code")]; ok {
		fmt.Fprint(w, found.State)
		return
	}
	http.NotFound(w, r)
}

func verify(r *http.Request, body []byte) bool {
	id, sent := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
	at, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > 300*time.Second {
		return false
	}
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SANDBOX_WEBHOOK_SECRET"), "whsec_"))
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, sent, body)
	sum := mac.Sum(nil)
	for _, part := range strings.Split(r.Header.Get("webhook-signature"), " ") {
		given, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(part, "v1,"))
		if err == nil && hmac.Equal(given, sum) {
			return true
		}
	}
	return false
}

func (h *Hotel) webhook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !verify(r, body) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var event struct {
		Type string `json:"type"`
		Data struct {
			Object struct {
				Code string `json:"code"`
			} `json:"object"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &event) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	if _, known := h.webhooks[r.Header.Get("webhook-id")]; known {
		return
	}
	h.webhooks[r.Header.Get("webhook-id")] = struct{}{}
	// Only a held reservation changes.
	if found, ok := h.reservations[event.Data.Object.Code]; ok && found.State == Held {
		switch event.Type {
		case "pix.settled":
			found.State = Confirmed
		case "pix.expired", "pix.failed":
			found.State = Released
		}
	}
}
