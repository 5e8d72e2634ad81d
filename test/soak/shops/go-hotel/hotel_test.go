package hotel

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"
)

func read(t *testing.T, response *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%s %s", response.Status, text)
	}
	return string(text)
}

func TestAPaidReservationIsConfirmed(t *testing.T) {
	port, set := os.LookupEnv("PORT")
	if !set {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: NewHotel().Routes()}
	go server.Serve(listener)
	defer server.Close()

	shop := "http://127.0.0.1:" + port
	response, err := http.PostForm(shop+"/reserve", url.Values{"code": {"room-101"}, "guest": {"Machado"}})
	read(t, response, err)
	response, err = http.Post(os.Getenv("SANDBOX_URL")+"/_sandbox/charges/room-101/settle", "application/json", nil)
	read(t, response, err)

	var state string
	for i := 0; i < 400; i++ {
		response, err := http.Get(shop + "/state?code=room-101")
		if state = read(t, response, err); state == string(Confirmed) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("expected the reservation to be confirmed, it is %s", state)
}
