package library

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Pix calls the payments service. Every call is retried until it succeeds or five tries have failed.
type Pix struct {
	BaseURL, Token, SigningSecret, AccountID string
	HTTP                                     *http.Client
}

func NewPix() *Pix {
	return &Pix{
		BaseURL:       os.Getenv("SANDBOX_BASE_URL"),
		Token:         os.Getenv("SANDBOX_TOKEN"),
		SigningSecret: os.Getenv("SANDBOX_SIGNING_SECRET"),
		AccountID:     os.Getenv("SANDBOX_ACCOUNT_ID"),
		HTTP:          &http.Client{Timeout: 5 * time.Second},
	}
}

var errRefused = errors.New("refused")

func (p *Pix) once(ctx context.Context, method, path string, body []byte, result any) error {
	request, err := http.NewRequestWithContext(ctx, method, p.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+p.Token)
	if method == http.MethodPost {
		random := make([]byte, 16)
		if _, err := rand.Read(random); err != nil {
			return err
		}
		timestamp, nonce := strconv.FormatInt(time.Now().Unix(), 10), hex.EncodeToString(random)
		digest := sha256.Sum256(body)
		mac := hmac.New(sha256.New, []byte(p.SigningSecret))
		io.WriteString(mac, strings.Join([]string{timestamp, nonce, method, path, hex.EncodeToString(digest[:])}, "."))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Timestamp", timestamp)
		request.Header.Set("X-Nonce", nonce)
		request.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
	}
	response, err := p.HTTP.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 400 && response.StatusCode < 500 && response.StatusCode != 429 {
		return fmt.Errorf("%w with %s: %s", errRefused, response.Status, content)
	}
	if response.StatusCode >= 300 {
		return errors.New(response.Status)
	}
	return json.Unmarshal(content, result)
}

func (p *Pix) call(ctx context.Context, method, path string, body []byte, result any) error {
	var err error
	for try := 0; try < 5; try++ {
		if err = p.once(ctx, method, path, body, result); err == nil || errors.Is(err, errRefused) {
			return err
		}
		time.Sleep(time.Duration(try+1) * 100 * time.Millisecond)
	}
	return err
}

func (p *Pix) CreateCharge(ctx context.Context, code, amount string) (qrCode string, err error) {
	body, err := json.Marshal(map[string]string{"code": code, "account_id": p.AccountID, "amount": amount})
	if err != nil {
		return "", err
	}
	var charge struct {
		QRCode string `json:"qr_code"`
	}
	err = p.call(ctx, http.MethodPost, "/api/public/v1/pix", body, &charge)
	return charge.QRCode, err
}

type Transaction struct{ ID, Code, Amount, Status, Direction string }

type page struct {
	Data   []Transaction
	Paging struct{ After *string }
}

// Transactions walks all pages.
func (p *Pix) Transactions(ctx context.Context, limit int) ([]Transaction, error) {
	var all []Transaction
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	for {
		var next page
		path := "/api/public/v1/accounts/" + p.AccountID + "/transactions?" + query.Encode()
		if err := p.call(ctx, http.MethodGet, path, nil, &next); err != nil {
			return nil, err
		}
		all = append(all, next.Data...)
		if len(next.Data) < limit || next.Paging.After == nil || *next.Paging.After == "" {
			return all, nil
		}
		query.Set("after", *next.Paging.After)
	}
}

// IsGenuine verifies a webhook by the Standard Webhooks scheme.
func IsGenuine(headers http.Header, body []byte, secret string, now time.Time) bool {
	id, timestamp := headers.Get("Webhook-Id"), headers.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" {
		return false
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > 5*time.Minute || age < -5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Fields(headers.Get("Webhook-Signature")) {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return true
		}
	}
	return false
}
