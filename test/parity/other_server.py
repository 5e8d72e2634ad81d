"""Another team's payments service: INTERFACE.md with another choice for nearly every question that it leaves open.

Prints its port. The header x-test-clock (Unix milliseconds) replaces the current time.
"""

import base64
import hashlib
import hmac
import json
import re
import time
import uuid
from datetime import datetime, timezone
from decimal import ROUND_HALF_UP, Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PREFIX = "/api/public/v1"
SECRET = b"another-signing-secret"
ACCOUNT = "5f0c2f0e-8a51-4be3-9d3c-6f2b1f6f4d10"
ENDPOINT = "d2c1a9f4-1d6b-4a76-8d1c-0b5f4f6a7e21"
SCOPES = {"pix:write", "pix:read", "withdrawals:read", "webhooks:write", "webhooks:read"}
TOKENS = {"full-token": SCOPES, "no-pix-token": SCOPES - {"pix:read"}, "read-token": {"pix:read", "withdrawals:read"}}
TOLERANCE_S, LIFETIME_S, START_S = 90, 3600, 1767225600
CENT = Decimal("0.01")
charges, nonces = {}, set()


class Refused(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.body = status, {"code": code, "message": message}


def iso(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def money(value):
    return f"{Decimal(value):.4f}"


def new_id(prefix):
    return f"{prefix}_{uuid.uuid4().hex[:20]}"


def withdrawal(index):
    amount = Decimal(700 if index % 2 else 40)
    return {
        "id": new_id("wd"),
        "code": f"payout-{index}",
        "account_id": ACCOUNT,
        "amount": money(amount),
        "net_amount": money(amount - Decimal("2.5")),
        "fee": money("2.5"),
        "status": "COMPLETED",
        "environment": "TEST",
        "destination": {
            "rail": "INSTANT",
            "pix_key": "maria@example.com",
            "pix_key_type": "E_MAIL",
            "beneficiary_document": "52998224725",
            "beneficiary_name": "Maria da Silva",
        },
        "metadata": {},
        "created_at": iso(START_S + 60 * index),
    }


def transaction(index):
    status, direction = "BOOKED", "CREDIT" if index % 2 else "DEBIT"
    common = {"id": new_id("tx"), "code": f"payout-{index}", "amount": money(40), "status": status}
    return {**common, "direction": direction, "booked_at": iso(START_S + 60 * index)}


def fees(amount):
    provider = max(min(Decimal("0.30"), amount), (amount * Decimal("0.012")).quantize(CENT, ROUND_HALF_UP))
    partner = (amount * Decimal("0.005")).quantize(CENT, ROUND_HALF_UP)
    return {
        "provider_fee": money(provider),
        "partner_fee": money(partner),
        "net_amount": money(amount - provider - partner),
    }


def charge(body, now):
    amount = Decimal(str(body["amount"]))
    return {
        "id": new_id("ch"),
        "code": body["code"],
        "status": "WAITING_PAYMENT",
        "environment": "TEST",
        "account_id": ACCOUNT,
        "amount": money(amount),
        "asset_code": "R",
        "qr_code": "BR.GOV.BCB.PIX-" + uuid.uuid4().hex,
        "qr_code_base64": None,
        "expires_at": iso(now + LIFETIME_S),
        "fees": fees(amount),
        "payer_name": None,
        "payer_document": "***.982.247-**",
        "metadata": body.get("metadata", {}),
        "created_at": iso(now),
    }


WITHDRAWALS = [withdrawal(index) for index in range(27)]
TRANSACTIONS = [transaction(index) for index in range(4)]
ENDPOINTS = [
    {
        "id": ENDPOINT,
        "url": "https://shop.example/webhooks",
        "events": ["pix.settled"],
        "status": "ENABLED",
        "created_at": iso(START_S),
        "updated_at": iso(START_S),
    }
]
DELIVERIES = [
    {
        "id": "9b6c1c9e-3a35-4a57-9e5b-50e7f0a1c2d3",
        "event_id": "42",
        "event_type": "pix.settled",
        "resource": {"type": "charge", "id": new_id("ch")},
        "status": "SENDING",
        "attempts": 1,
        "created_at": iso(START_S),
    }
]


def page(items, query):
    """Oldest first. Cursors without another page are absent, and a large limit is reduced."""
    text = query.get("limit", ["25"])[0]
    if not re.fullmatch(r"[1-9]\d*", text):
        raise Refused(422, "invalid-parameter", "Limit.")
    limit, start = min(int(text), 50), 0
    for name in ("after", "before"):
        match = re.fullmatch(r"row-(\d+)", query.get(name, ["row-0"])[0])
        if match is None:
            raise Refused(422, "invalid-parameter", "Cursor.")
        if name in query:
            start = int(match[1]) if name == "after" else max(int(match[1]) - limit, 0)
    end, paging = start + limit, {}
    if end < len(items):
        paging["after"] = f"row-{end}"
    if start > 0:
        paging["before"] = f"row-{start}"
    return {"data": items[start:end], "paging": paging}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def now(self):
        return int(self.headers.get("x-test-clock") or time.time() * 1000) / 1000

    def date_time_string(self, timestamp=None):
        return super().date_time_string(self.now())

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.respond(b"")

    def do_POST(self):
        self.respond(self.rfile.read(int(self.headers.get("content-length") or 0)))

    def respond(self, body):
        try:
            status, reply = self.route(body)
        except Refused as refused:
            status, reply = refused.status, refused.body
        sent = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json; charset=utf-8")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def route(self, body):
        url = urlsplit(self.path)
        route = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=accounts/)[^/]+", "ID", url.path)
        ids = url.path.split("/")[5:6]
        query = parse_qs(url.query)
        known = {
            f"GET {PREFIX}/withdrawals": ("withdrawals:read", lambda: (200, page(WITHDRAWALS, query))),
            f"GET {PREFIX}/accounts/ID/transactions": ("pix:read", lambda: self.of(ids, ACCOUNT, page(TRANSACTIONS, query))),
            f"GET {PREFIX}/webhook-endpoints": ("webhooks:read", lambda: (200, page(ENDPOINTS, query))),
            f"GET {PREFIX}/webhook-endpoints/ID": ("webhooks:read", lambda: self.of(ids, ENDPOINT, ENDPOINTS[0])),
            f"GET {PREFIX}/webhook-endpoints/ID/deliveries": ("webhooks:read", lambda: self.of(ids, ENDPOINT, DELIVERIES)),
            f"POST {PREFIX}/webhook-endpoints": ("webhooks:write", lambda: self.create_endpoint(body)),
            f"POST {PREFIX}/webhook-endpoints/ID/deliveries/ID/retry": ("webhooks:write", lambda: self.of(ids, None, None)),
            f"POST {PREFIX}/pix": ("pix:write", lambda: self.create_charge(body)),
        }
        if f"{self.command} {route}" not in known:
            raise Refused(404, "no-such-route", "Unknown route.")
        scope, handle = known[f"{self.command} {route}"]
        token = TOKENS.get((self.headers.get("authorization") or "").removeprefix("Bearer "))
        if token is None:
            raise Refused(401, "token-unknown", "Unknown token.")
        if scope not in token:
            raise Refused(403, "scope-missing", "Missing scope.")
        if self.command == "POST":
            self.verify(body)
        return handle()

    def of(self, ids, owner, reply):
        if ids != [owner]:
            raise Refused(404, "no-such-resource", "Not found.")
        return 200, reply

    def verify(self, body):
        stamp, nonce = self.headers.get("x-timestamp") or "", self.headers.get("x-nonce") or ""
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode() if body else ""
        content = ".".join([stamp, nonce, self.command, self.path, digest]).encode()
        expected = base64.b64encode(hmac.digest(SECRET, content, "sha256")).decode()
        if not hmac.compare_digest(expected, self.headers.get("x-signature") or ""):
            raise Refused(401, "signature-wrong", "Wrong signature.")
        if not re.fullmatch(r"\d{1,12}", stamp) or abs(int(self.now()) - int(stamp)) > TOLERANCE_S:
            raise Refused(401, "signature-old", "Old timestamp.")
        if nonce in nonces:
            raise Refused(401, "signature-repeated", "Repeated nonce.")
        nonces.add(nonce)

    def create_endpoint(self, body):
        raise Refused(422, "url-refused", "Only public HTTPS addresses.")

    def create_charge(self, body):
        fields = json.loads(body)
        names = {"code", "account_id", "amount", "payer_document"}
        if not names <= set(fields) <= names | {"metadata"}:
            raise Refused(422, "field-unknown-or-missing", "Fields.")
        if not re.fullmatch(r"\d{11}|\d{14}", fields["payer_document"]):
            raise Refused(422, "field-invalid", "Document.")
        # Unlike the sandbox: numbers and four decimals are accepted, and text needs two decimals or more.
        if isinstance(fields["amount"], str) and not re.fullmatch(r"\d{1,9}\.\d{2,4}", fields["amount"]):
            raise Refused(422, "field-invalid", "Amount.")
        if Decimal(str(fields["amount"])) <= 0:
            raise Refused(422, "field-invalid", "Amount.")
        if fields["account_id"] != ACCOUNT:
            raise Refused(404, "no-such-account", "Unknown account.")
        earlier = charges.setdefault(fields["code"], (fields, charge(fields, self.now())))
        if earlier[0] != fields:
            raise Refused(422, "code-conflict", "The code has another charge.")
        return 201, earlier[1]


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
