"""A prepaid wallet: a top-up by PIX adds to the balance. Only the standard library."""
import base64
import hashlib
import hmac
import http.client
import json
import os
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_hex


class Wallet:
    def __init__(self):
        self.lock = threading.Lock()
        self.topups = {}
        self.balance_cents = 0
        self.known_webhooks = set()

    def top_up(self, code, amount):
        with self.lock:
            self.topups.setdefault(code, {"amount": amount, "credited": False})
        return request_charge(code, amount)

    def apply(self, webhook_id, event):
        with self.lock:
            if webhook_id in self.known_webhooks:
                return
            if event["type"] == "pix.settled":
                topup = self.topups.get(event["data"]["object"]["code"])
                if topup and not topup["credited"]:
                    topup["credited"] = True
                    self.balance_cents += round(float(topup["amount"]) * 100)
            self.known_webhooks.add(webhook_id)


def request_charge(code, amount):
    path = "/api/public/v1/pix"
    body = json.dumps({"code": code, "account_id": os.environ["SANDBOX_ACCOUNT_ID"], "amount": amount}).encode()
    for tries_left in reversed(range(5)):
        timestamp = str(int(time.time()))
        nonce = token_hex(16)
        text = f"{timestamp}.{nonce}.POST.{path}." + hashlib.sha256(body).hexdigest()
        headers = {
            "authorization": "Bearer " + os.environ["SANDBOX_TOKEN"],
            "content-type": "application/json",
            "x-timestamp": timestamp,
            "x-nonce": nonce,
            "x-signature": hmac.new(os.environ["SANDBOX_SIGNING_SECRET"].encode(), text.encode(), "sha256").hexdigest(),
        }
        try:
            url = os.environ["SANDBOX_BASE_URL"] + path
            return json.load(urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=6))
        except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError):
            if tries_left == 0:
                raise
            time.sleep(0.1)


def signature_matches(headers, event):
    body = json.dumps(event, separators=(",", ":"), ensure_ascii=False)
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}"
    key = base64.b64decode(os.environ["SANDBOX_WEBHOOK_SECRET"].replace("whsec_", ""))
    expected = "v1," + base64.b64encode(hmac.new(key, signed.encode(), "sha256").digest()).decode()
    fresh = abs(time.time() - int(headers["webhook-timestamp"])) <= 300
    return fresh and any(hmac.compare_digest(expected, given) for given in headers["webhook-signature"].split())


def make_handler(wallet):
    class Handler(BaseHTTPRequestHandler):
        def read_json(self):
            return json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")

        def reply(self, status, value):
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.reply(200, {"balance": wallet.balance_cents})

        def do_POST(self):
            payload = self.read_json()
            if self.path == "/webhooks":
                if not signature_matches(self.headers, payload):
                    return self.reply(401, {"error": "invalid signature"})
                wallet.apply(self.headers["webhook-id"], payload)
                return self.reply(200, {"received": True})
            charge = wallet.top_up(payload["code"], payload["amount"])
            return self.reply(201, {"qr_code": charge["qr_code"]})

        def log_message(self, *_):
            pass

    return Handler


def make_server(port):
    return ThreadingHTTPServer(("127.0.0.1", port), make_handler(Wallet()))
