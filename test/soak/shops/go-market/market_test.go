package market

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

var sandbox = os.Getenv("SANDBOX_URL") + "/_sandbox"

func serve(t *testing.T, market *Market) {
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "localhost:"+port)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/webhooks", market)
	server := httptest.NewUnstartedServer(mux)
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
}

func sellAndPay(t *testing.T, market *Market, code string) {
	if err := Sell(code, "7.00"); err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(sandbox+"/charges/"+code+"/settle", "", nil)
	if err != nil || response.StatusCode != 200 {
		t.Fatal(response, err)
	}
	for i := 0; !market.Paid(code); i++ {
		if i == 1000 {
			t.Fatalf("%s is not paid", code)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func transactionsOfTheSandbox(t *testing.T) []string {
	response, err := http.Get(sandbox + "/ledger?limit=50")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var ledger struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(response.Body).Decode(&ledger); err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, row := range ledger.Data {
		ids = append(ids, row.ID)
	}
	return ids
}

func TestEveryTransactionIsBooked(t *testing.T) {
	market := NewMarket()
	serve(t, market)
	sellAndPay(t, market, "mangoes")
	sellAndPay(t, market, "papayas")
	if err := market.Import(2); err != nil {
		t.Fatal(err)
	}
	sellAndPay(t, market, "cashews")
	expected := transactionsOfTheSandbox(t)
	if err := market.Import(2); err != nil {
		t.Fatal(err)
	}
	booked := map[string]bool{}
	for _, id := range market.Booked() {
		booked[id] = true
	}
	for _, id := range expected {
		if !booked[id] {
			t.Errorf("transaction %s is missing in the books", id)
		}
	}
}
