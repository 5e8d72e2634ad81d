import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = os.environ.get("PORT", "3000")
SHOP = f"http://127.0.0.1:{PORT}"
SANDBOX = os.environ["SANDBOX_URL"] + "/_sandbox"


def call(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.load(response)


def ask_shop(method, path, body=None, seconds=20):
    """Calls the application, again while it is restarting: every operation of it may be repeated."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return call(method, SHOP + path, body)
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, urllib.error.HTTPError) or time.monotonic() > deadline:
                raise
        time.sleep(0.05)


def eventually(read, expected, seconds=20):
    deadline = time.monotonic() + seconds
    while True:
        value = read()
        if value == expected:
            return
        if time.monotonic() > deadline:
            raise AssertionError(f"expected {expected!r}, got {value!r}")
        time.sleep(0.05)


class Supervisor(threading.Thread):
    """Runs the application, and starts it again when it dies, as systemd would."""

    def __init__(self, database):
        super().__init__()
        self.env = {**os.environ, "BOOKS_DATABASE": database, "PORT": PORT}
        self.stopping = False
        self.process = None

    def run(self):
        while not self.stopping:
            self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "app.py")], env=self.env, stderr=subprocess.DEVNULL)
            self.process.wait()

    def stop(self):
        self.stopping = True
        while self.is_alive():
            self.process.kill()
            self.join(0.1)


class BookshopTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.supervisor = Supervisor(os.path.join(cls.folder.name, "books.sqlite"))
        cls.supervisor.start()
        cls.addClassCleanup(cls.supervisor.stop)
        ask_shop("GET", "/health")

    def order(self, code):
        return ask_shop("GET", f"/orders/{code}")

    def test_a_paid_book_is_shipped_once(self):
        self.assertIn("qr_code", ask_shop("PUT", "/orders/book-1", {"title": "Dom Casmurro", "amount": "39.90"}))
        call("POST", SANDBOX + "/charges/book-1/settle")
        eventually(lambda: self.order("book-1")["status"], "paid")
        call("GET", SANDBOX + "/idle")
        eventually(lambda: self.order("book-1"), {"code": "book-1", "status": "paid", "shipments": 1})

    def test_two_orders_are_two_shipments(self):
        for code in ("book-2", "book-3"):
            ask_shop("PUT", f"/orders/{code}", {"title": "Iracema", "amount": "20.00"})
        for code in ("book-3", "book-2"):
            call("POST", f"{SANDBOX}/charges/{code}/settle")
        for code in ("book-2", "book-3"):
            eventually(lambda: self.order(code), {"code": code, "status": "paid", "shipments": 1})


if __name__ == "__main__":
    unittest.main()
