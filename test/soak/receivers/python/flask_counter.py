# Correct: sqlite with a unique key; the probe prints a random request id, the time and how many webhooks came.
import json, os, sqlite3, threading, time, uuid
from flask import Flask, jsonify, request
from charge import create_charge
from signature import is_authentic

app = Flask(__name__)
db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
db.execute("CREATE TABLE events (id TEXT PRIMARY KEY)")
db.execute("CREATE TABLE orders (code TEXT PRIMARY KEY, status TEXT, paid TEXT, credits INTEGER)")
lock = threading.Lock()
received = 0


@app.post("/webhooks")
def webhooks():
    global received
    received += 1
    if not is_authentic(request.headers, request.get_data()):
        return "invalid signature", 401
    try:
        event = json.loads(request.get_data())
    except ValueError:
        return "invalid JSON", 400
    charge = event["data"]["object"]
    with lock:
        try:
            db.execute("BEGIN")
            db.execute("INSERT INTO events VALUES (?)", (request.headers["webhook-id"],))
            if event["type"].startswith("pix."):
                db.execute("INSERT OR IGNORE INTO orders VALUES (?, 'PENDING', NULL, 0)", (charge["code"],))
            if event["type"] == "pix.settled":
                db.execute("UPDATE orders SET status = 'PAID', paid = ?, credits = credits + 1 WHERE code = ?", (charge["amount"], charge["code"]))
            elif event["type"] == "pix.expired":
                db.execute("UPDATE orders SET status = 'EXPIRED' WHERE code = ? AND status = 'PENDING'", (charge["code"],))
            db.execute("COMMIT")
        except sqlite3.IntegrityError:
            db.execute("ROLLBACK")
    return "", 200


@app.put("/orders/<code>")
def order(code):
    with lock:
        db.execute("INSERT OR IGNORE INTO orders VALUES (?, 'PENDING', NULL, 0)", (code,))
    create_charge(code, request.args.get("amount", "10.00"))
    return "", 201


@app.get("/orders/<code>")
def show(code):
    with lock:
        row = db.execute("SELECT status, paid, credits FROM orders WHERE code = ?", (code,)).fetchone()
    state = dict(zip(("status", "paid", "credits"), row)) if row else None
    return jsonify(request_id=str(uuid.uuid4()), now=time.time(), webhooks_received=received, order=state)


app.run("127.0.0.1", int(os.environ["PORT"]), threaded=True)
