import json
import os
import threading
import time
import urllib.request
from unittest import TestCase, main

from wallet import make_server

PORT = int(os.environ.get("PORT", "3000"))


class TopUp(TestCase):
    def setUp(self):
        self.server = make_server(PORT)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def ask(self, url, method="GET", **body):
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
        return json.load(urllib.request.urlopen(request, timeout=40))

    def test_topping_up_adds_to_the_balance(self):
        shop = f"http://127.0.0.1:{PORT}"
        self.ask(shop + "/topups", "POST", code="topup-1", amount="50.00")
        self.ask(os.environ["SANDBOX_URL"] + "/_sandbox/charges/topup-1/settle", "POST")
        deadline = time.time() + 20
        while self.ask(shop + "/")["balance"] == 0 and time.time() < deadline:
            time.sleep(0.05)
        self.ask(os.environ["SANDBOX_URL"] + "/_sandbox/idle")
        self.assertEqual(self.ask(shop + "/")["balance"], 5000)


if __name__ == "__main__":
    main()
