"""A shop: PUT and GET /orders/{code}, POST /webhooks. It takes the environment block, PORT, and SHOP_DATA, the file of its database."""

import hashlib
import hmac
import json
import os
import sqlite3
import sys
import time
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, sys.argv[1])  # The folder of the guides' receivers.
from receiver import MAX_BODY_BYTES, event_in, read_body  # noqa: E402

MOVES = {
    "pix.expired": (1, "expired"),
    "pix.failed": (2, "failed"),
    "pix.settled": (3, "paid"),
    "withdrawal.settled": (1, "sent"),
    "withdrawal.failed": (2, "returned"),
}
SCHEMA = """
pragma journal_mode = wal;
create table if not exists taken (id text primary key);
create table if not exists rows (code text primary key, status text, place integer, credits integer);
"""


def database():
    connection = sqlite3.connect(os.environ["SHOP_DATA"], timeout=10, isolation_level=None)
    connection.execute("pragma synchronous = off")
    return connection


def take(webhook_id, event):
    """Keeps the id with its effect, in one transaction."""
    place, status = MOVES.get(event["type"], (0, ""))
    code = event["data"]["object"]["code"]
    with database() as connection:
        connection.execute("begin immediate")
        if connection.execute("insert or ignore into taken values (?)", [webhook_id]).rowcount == 0:
            return
        if place > 0:
            connection.execute("insert or ignore into rows values (?, 'open', 0, 0)", [code])
            credit = int(event["type"] == "pix.settled")
            connection.execute("update rows set credits = credits + ? where code = ?", [credit, code])
            move = "update rows set status = ?, place = ? where code = ? and place < ?"
            connection.execute(move, [status, place, code, place])


def create_charge(code):
    path = "/api/public/v1/pix"
    body = json.dumps({"code": code, "account_id": os.environ["SANDBOX_ACCOUNT_ID"], "amount": "49.90"}).encode()
    timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
    content = ".".join([timestamp, nonce, "POST", path, hashlib.sha256(body).hexdigest()]).encode()
    signature = hmac.digest(os.environ["SANDBOX_SIGNING_SECRET"].encode(), content, "sha256").hex()
    headers = {"x-timestamp": timestamp, "x-nonce": nonce, "x-signature": signature, "content-type": "application/json"}
    headers["authorization"] = f"Bearer {os.environ['SANDBOX_TOKEN']}"
    urllib.request.urlopen(urllib.request.Request(os.environ["SANDBOX_BASE_URL"] + path, body, headers)).read()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            body = read_body(self.headers, self.rfile)
        except ValueError:
            return self.answer(400, "The body cannot be read.")
        if self.path != "/webhooks" or len(body) > MAX_BODY_BYTES:
            return self.answer(400, "Expected POST /webhooks.")
        event = event_in(body, self.headers, os.environ["SANDBOX_WEBHOOK_SECRET"])
        if event is None:
            return self.answer(400, "The signature does not hold.")
        take(self.headers["webhook-id"], event)
        self.answer(200, "Thank you.")

    def do_PUT(self):
        code = self.path.removeprefix("/orders/")
        create_charge(code)
        with database() as connection:
            connection.execute("insert or ignore into rows values (?, 'open', 0, 0)", [code])
        self.answer(200, code)

    def do_GET(self):
        code = self.path.removeprefix("/orders/")
        found = database().execute("select status, credits from rows where code = ?", [code]).fetchone()
        if found is None:
            return self.answer(404, "There is no such order.")
        self.answer(200, json.dumps({"code": code, "status": found[0], "credits": found[1], "printed_at": time.time()}))

    def answer(self, status, text):
        content = text.encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


database().executescript(SCHEMA)
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
server.request_queue_size = 128
print("Waiting for webhooks", flush=True)
server.serve_forever()
