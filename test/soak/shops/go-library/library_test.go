package library

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T) string {
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(New(NewPix()))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

func ask(t *testing.T, method, url, body string, result any) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %s", method, url, response.Status, content)
	}
	if result != nil {
		if err := json.Unmarshal(content, result); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFinesArePaidAndBooked(t *testing.T) {
	library, sandbox := start(t), os.Getenv("SANDBOX_URL")+"/_sandbox"
	codes := []string{"fine-1", "fine-2"}
	for _, code := range codes {
		ask(t, "PUT", library+"/fines/"+code, `{"reader":"Clarice","amount":"4.50"}`, nil)
		ask(t, "POST", sandbox+"/charges/"+code+"/settle", "", nil)
	}
	for _, code := range codes {
		var fine Fine
		for deadline := time.Now().Add(20 * time.Second); !fine.Paid && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			ask(t, "GET", library+"/fines/"+code, "", &fine)
		}
	}
	ask(t, "GET", sandbox+"/idle", "", nil)
	for _, code := range codes {
		var fine Fine
		ask(t, "GET", library+"/fines/"+code, "", &fine)
		if !fine.Paid || fine.Receipts != 1 {
			t.Errorf("expected %s paid with one receipt, got %+v", code, fine)
		}
	}

	// What was there before a reconciliation is booked after it.
	ask(t, "POST", library+"/reconciliations", "", nil)
	var ledger struct{ Data []struct{ ID string } }
	ask(t, "GET", sandbox+"/ledger?limit=50", "", &ledger)
	var booked []string
	ask(t, "POST", library+"/reconciliations", "", &booked)
	known := map[string]bool{}
	for _, id := range booked {
		known[id] = true
	}
	for _, row := range ledger.Data {
		if !known[row.ID] {
			t.Errorf("transaction %s is not booked", row.ID)
		}
	}
}
