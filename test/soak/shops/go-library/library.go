// Package library collects the fines of a public library, and books the account's transactions once a day.
package library

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

type Fine struct {
	Reader   string `json:"reader"`
	Amount   string `json:"amount"`
	Paid     bool   `json:"paid"`
	Receipts int    `json:"receipts"`
}

type Library struct {
	pix      *Pix
	mutex    sync.Mutex
	fines    map[string]*Fine
	received map[string]bool
	booked   map[string]Transaction
}

func New(pix *Pix) *Library {
	return &Library{pix: pix, fines: map[string]*Fine{}, received: map[string]bool{}, booked: map[string]Transaction{}}
}

func (l *Library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "The body did not arrive.", http.StatusBadRequest)
		return
	}
	code := strings.TrimPrefix(r.URL.Path, "/fines/")
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/webhooks":
		l.receive(w, r.Header, body)
	case r.Method == http.MethodPost && r.URL.Path == "/reconciliations":
		l.reconcile(w, r)
	case r.Method == http.MethodPut && code != r.URL.Path:
		l.demand(w, r, code, body)
	case r.Method == http.MethodGet && code != r.URL.Path:
		l.mutex.Lock()
		defer l.mutex.Unlock()
		json.NewEncoder(w).Encode(l.fines[code])
	default:
		http.NotFound(w, r)
	}
}

func (l *Library) demand(w http.ResponseWriter, r *http.Request, code string, body []byte) {
	var fine Fine
	if err := json.Unmarshal(body, &fine); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	l.mutex.Lock()
	if l.fines[code] == nil {
		l.fines[code] = &Fine{Reader: fine.Reader, Amount: fine.Amount}
	}
	l.mutex.Unlock()
	qrCode, err := l.pix.CreateCharge(r.Context(), code, fine.Amount)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, qrCode)
}

func (l *Library) receive(w http.ResponseWriter, headers http.Header, body []byte) {
	if !IsGenuine(headers, body, os.Getenv("SANDBOX_WEBHOOK_SECRET"), time.Now()) {
		http.Error(w, "The signature is invalid.", http.StatusUnauthorized)
		return
	}
	var event struct {
		Type string
		Data struct{ Object struct{ Code string } }
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	id := headers.Get("Webhook-Id")
	if fine := l.fines[event.Data.Object.Code]; !l.received[id] && event.Type == "pix.settled" && fine != nil && !fine.Paid {
		fine.Paid = true
		fine.Receipts++
	}
	l.received[id] = true
}

// reconcile books what is not booked yet; it may run as often as one likes.
func (l *Library) reconcile(w http.ResponseWriter, r *http.Request) {
	transactions, err := l.pix.Transactions(r.Context(), 2)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, transaction := range transactions {
		l.booked[transaction.ID] = transaction
	}
	ids := make([]string, 0, len(l.booked))
	for id := range l.booked {
		ids = append(ids, id)
	}
	json.NewEncoder(w).Encode(ids)
}
