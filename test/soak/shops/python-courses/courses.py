"""Sells online courses: whoever pays is enrolled. Flask, with SQLite in memory."""
import base64
import hashlib
import hmac
import json
import os
import secrets
import sqlite3
import threading
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from flask import Flask, abort, jsonify, request

lock = threading.RLock()
db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
db.execute("CREATE TABLE purchases (id INTEGER PRIMARY KEY, student TEXT, course TEXT, charge_id TEXT UNIQUE, paid INTEGER DEFAULT 0)")
db.execute("CREATE TABLE processed_webhooks (id TEXT PRIMARY KEY)")

app = Flask(__name__)


def signed_headers(path, body):
    now, nonce = str(int(time.time())), secrets.token_urlsafe(18)
    parts = [now, nonce, "POST", path, hashlib.sha256(body).hexdigest()]
    digest = hmac.new(os.environ["SANDBOX_SIGNING_SECRET"].encode(), ".".join(parts).encode(), "sha256").hexdigest()
    return {"X-Timestamp": now, "X-Nonce": nonce, "X-Signature": digest}


def create_pix(code, amount, retries=4):
    path = "/api/public/v1/pix"
    payload = json.dumps({"account_id": os.environ["SANDBOX_ACCOUNT_ID"], "amount": amount, "code": code}).encode("utf-8")
    headers = {"Authorization": f"Bearer {os.environ['SANDBOX_TOKEN']}", "Content-Type": "application/json"}
    try:
        signed = Request(os.environ["SANDBOX_BASE_URL"] + path, payload, {**headers, **signed_headers(path, payload)})
        return json.loads(urlopen(signed, timeout=5).read())
    except (OSError, HTTPException, ValueError) as error:
        if retries == 0 or isinstance(error, HTTPError) and error.code not in (429, 500, 502, 503, 504):
            raise
        time.sleep(0.2)
        return create_pix(code, amount, retries - 1)


@app.post("/purchases")
def purchase():
    wanted = request.json
    with lock:
        cursor = db.execute("INSERT INTO purchases (student, course) VALUES (?, ?)", (wanted["student"], wanted["course"]))
    charge = create_pix(f"purchase-{cursor.lastrowid}", "199.00")
    with lock:
        db.execute("UPDATE purchases SET charge_id = ? WHERE id = ?", (charge["id"], cursor.lastrowid))
    return jsonify(purchase=cursor.lastrowid, pix=charge["qr_code"], charge=charge["id"]), 201


@app.get("/students/<student>")
def courses(student):
    with lock:
        rows = db.execute("SELECT course FROM purchases WHERE student = ? AND paid = 1", (student,)).fetchall()
    return jsonify([course for (course,) in rows])


def verify(headers, body):
    timestamp = headers.get("webhook-timestamp", "0")
    if abs(int(timestamp) - time.time()) > 300:
        abort(400, "old")
    secret = base64.b64decode(os.environ["SANDBOX_WEBHOOK_SECRET"][6:])
    content = headers.get("webhook-id", "").encode() + b"." + timestamp.encode() + b"." + body
    computed = base64.b64encode(hmac.digest(secret, content, "sha256")).decode()
    versions = [part.partition(",") for part in headers.get("webhook-signature", "").split(" ")]
    if not any(version == "v1" and hmac.compare_digest(value, computed) for version, _, value in versions):
        abort(401, "signature")


def enroll(charge):
    with lock:
        found = db.execute("SELECT id FROM purchases WHERE charge_id = ?", (charge["id"],)).fetchone()
        if found is None:
            raise LookupError(f"There is no purchase with charge {charge['id']}.")
        db.execute("UPDATE purchases SET paid = 1 WHERE id = ?", found)


@app.post("/webhooks")
def receive():
    verify(request.headers, request.data)
    with lock:
        inserted = db.execute("INSERT OR IGNORE INTO processed_webhooks VALUES (?)", (request.headers["webhook-id"],))
    if inserted.rowcount == 0:
        return "", 200
    event = json.loads(request.data)
    if event["type"] == "pix.settled":
        enroll(event["data"]["object"])  # Responds 500 if that fails, so that the webhook comes again.
    return "", 204
