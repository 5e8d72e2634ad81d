"""A bookshop with Flask and SQLite. Orders, webhooks and shipments survive a restart."""
import base64
import hashlib
import hmac
import http.client
import json
import os
import sqlite3
import time
import urllib.error
import urllib.request
import uuid

from flask import Flask, jsonify, request

DATABASE = os.environ["BOOKS_DATABASE"]
SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (code TEXT PRIMARY KEY, title TEXT, amount TEXT, status TEXT DEFAULT 'open', qr_code TEXT);
CREATE TABLE IF NOT EXISTS webhooks (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS shipments (number INTEGER PRIMARY KEY, code TEXT);
"""

app = Flask(__name__)


def connect():
    db = sqlite3.connect(DATABASE, timeout=10, isolation_level=None)
    db.row_factory = sqlite3.Row
    return db


def create_charge(code, amount):
    path = "/api/public/v1/pix"
    body = json.dumps({"code": code, "account_id": os.environ["SANDBOX_ACCOUNT_ID"], "amount": amount}).encode()
    for wait in (0.1, 0.2, 0.4, 0.8, None):
        timestamp, nonce = str(int(time.time())), uuid.uuid4().hex
        content = f"{timestamp}.{nonce}.POST.{path}.{hashlib.sha256(body).hexdigest()}"
        signature = hmac.new(os.environ["SANDBOX_SIGNING_SECRET"].encode(), content.encode(), hashlib.sha256).hexdigest()
        headers = {
            "Authorization": "Bearer " + os.environ["SANDBOX_TOKEN"],
            "Content-Type": "application/json",
            "X-Timestamp": timestamp,
            "X-Nonce": nonce,
            "X-Signature": signature,
        }
        call = urllib.request.Request(os.environ["SANDBOX_BASE_URL"] + path, body, headers)
        try:
            with urllib.request.urlopen(call, timeout=5) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if wait is None or error.code < 500 and error.code != 429:
                raise
        except (OSError, ValueError, http.client.HTTPException):
            if wait is None:
                raise
        time.sleep(wait)


def is_signed(body, headers):
    message, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(os.environ["SANDBOX_WEBHOOK_SECRET"].removeprefix("whsec_"))
    digest = hmac.new(key, f"{message}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(expected, one) for one in headers.get("webhook-signature", "").split())


@app.put("/orders/<code>")
def order(code):
    wanted = request.get_json()
    with connect() as db:
        db.execute("INSERT OR IGNORE INTO orders (code, title, amount) VALUES (?, ?, ?)", (code, wanted["title"], wanted["amount"]))
    charge = create_charge(code, wanted["amount"])
    with connect() as db:
        db.execute("UPDATE orders SET qr_code = ? WHERE code = ?", (charge["qr_code"], code))
    return jsonify(code=code, qr_code=charge["qr_code"]), 201


@app.get("/orders/<code>")
def show(code):
    db = connect()
    row = db.execute("SELECT * FROM orders WHERE code = ?", (code,)).fetchone()
    if row is None:
        return jsonify(error="unknown order"), 404
    shipped = db.execute("SELECT count(*) FROM shipments WHERE code = ?", (code,)).fetchone()[0]
    return jsonify(code=code, status=row["status"], shipments=shipped)


@app.post("/webhooks")
def webhook():
    body = request.get_data()
    if not is_signed(body, request.headers):
        return "invalid signature", 401
    event = json.loads(body)
    code = event.get("data", {}).get("object", {}).get("code")
    db = connect()
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("INSERT INTO webhooks VALUES (?)", (request.headers["webhook-id"],))
        if event["type"] == "pix.settled":
            changed = db.execute("UPDATE orders SET status = 'paid' WHERE code = ? AND status <> 'paid'", (code,))
            if changed.rowcount == 1:
                db.execute("INSERT INTO shipments (code) VALUES (?)", (code,))
        elif event["type"] in ("pix.expired", "pix.failed"):
            db.execute("UPDATE orders SET status = 'cancelled' WHERE code = ? AND status = 'open'", (code,))
        db.execute("COMMIT")
    except sqlite3.IntegrityError:
        db.execute("ROLLBACK")  # The webhook is known.
    finally:
        db.close()
    return "ok"


@app.get("/health")
def health():
    return str(os.getpid())


if __name__ == "__main__":
    with connect() as database:
        database.executescript(SCHEMA)
    app.run("127.0.0.1", int(os.environ.get("PORT", "3000")), threaded=True)
