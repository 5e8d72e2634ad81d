// Package market keeps the books of a farmers' market: it imports the account's transactions, page by page.
package market

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Entry is a transaction of the account.
type Entry struct {
	ID        string `json:"id"`
	Code      string `json:"code"`
	Amount    string `json:"amount"`
	Direction string `json:"direction"`
}

type Market struct {
	mu     sync.Mutex
	books  map[string]Entry
	newest string // The newest transaction at the time of the last import.
	paid   map[string]bool
	seen   map[string]bool
}

func NewMarket() *Market {
	return &Market{books: map[string]Entry{}, paid: map[string]bool{}, seen: map[string]bool{}}
}

var client = &http.Client{Timeout: 5 * time.Second}

func do(method, path string, body []byte) (*bytes.Buffer, error) {
	var failure error
	for try := 0; try < 5; try++ {
		time.Sleep(time.Duration(try) * 100 * time.Millisecond)
		request, err := http.NewRequest(method, os.Getenv("SANDBOX_BASE_URL")+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("SANDBOX_TOKEN"))
		if body != nil {
			sign(request, body)
		}
		response, err := client.Do(request)
		if err != nil {
			failure = err
			continue
		}
		content := new(bytes.Buffer)
		_, err = content.ReadFrom(response.Body)
		response.Body.Close()
		if err == nil && response.StatusCode < 300 {
			return content, nil
		}
		failure = fmt.Errorf("%s %s: %s %v", method, path, response.Status, err)
	}
	return nil, failure
}

func sign(request *http.Request, body []byte) {
	random := make([]byte, 12)
	_, _ = rand.Read(random)
	now, nonce, sum := strconv.Itoa(int(time.Now().Unix())), hex.EncodeToString(random), sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(os.Getenv("SANDBOX_SIGNING_SECRET")))
	mac.Write([]byte(now + "." + nonce + "." + request.Method + "." + request.URL.Path + "." + hex.EncodeToString(sum[:])))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Timestamp", now)
	request.Header.Set("X-Nonce", nonce)
	request.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
}

func list(limit int, after string) (entries []Entry, next string, err error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if after != "" {
		query.Set("after", after)
	}
	content, err := do("GET", "/api/public/v1/accounts/"+os.Getenv("SANDBOX_ACCOUNT_ID")+"/transactions?"+query.Encode(), nil)
	if err != nil {
		return nil, "", err
	}
	var page struct {
		Data   []Entry `json:"data"`
		Paging struct {
			After string `json:"after"`
		} `json:"paging"`
	}
	err = json.Unmarshal(content.Bytes(), &page)
	return page.Data, page.Paging.After, err
}

// Import reads the pages, newest first, back to where the last import began.
func (m *Market) Import(pageSize int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	after := ""
walk:
	for {
		entries, next, err := list(pageSize, after)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if entry.ID == m.newest {
				break walk
			}
			m.books[entry.ID] = entry
		}
		if len(entries) < pageSize || next == "" {
			break
		}
		after = next
	}
	latest, _, err := list(1, "")
	if err == nil && len(latest) == 1 {
		m.newest = latest[0].ID
	}
	return err
}

// Booked lists the ids of all imported transactions.
func (m *Market) Booked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := []string{}
	for id := range m.books {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

// Sell creates the charge of a sale.
func Sell(code, amount string) error {
	body, err := json.Marshal(map[string]string{"account_id": os.Getenv("SANDBOX_ACCOUNT_ID"), "code": code, "amount": amount})
	if err != nil {
		return err
	}
	_, err = do("POST", "/api/public/v1/pix", body)
	return err
}

// Paid tells whether the payment of a sale was announced.
func (m *Market) Paid(code string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.paid[code]
}

// ServeHTTP receives webhooks.
func (m *Market) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	if _, err := body.ReadFrom(r.Body); err != nil || !authentic(r.Header, body.Bytes()) {
		http.Error(w, "not authentic", http.StatusForbidden)
		return
	}
	var event struct {
		Type string
		Data struct{ Object struct{ Code string } }
	}
	if err := json.Unmarshal(body.Bytes(), &event); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if id := r.Header.Get("webhook-id"); !m.seen[id] {
		m.seen[id] = true
		m.paid[event.Data.Object.Code] = m.paid[event.Data.Object.Code] || event.Type == "pix.settled"
	}
}

func authentic(header http.Header, body []byte) bool {
	unix, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(unix, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SANDBOX_WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", header.Get("webhook-id"), unix, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, got := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(got), []byte(want)) {
			return true
		}
	}
	return false
}
