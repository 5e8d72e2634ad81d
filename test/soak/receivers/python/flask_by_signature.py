# Knows repeats by their signature, which is a new one for each attempt.
import json, os, threading
from flask import Flask, jsonify, request
from charge import create_charge
from signature import is_authentic

app = Flask(__name__)
lock = threading.Lock()
signatures, orders = set(), {}


@app.post("/webhooks")
def webhooks():
    raw = request.get_data()
    if not is_authentic(request.headers, raw):
        return jsonify(error="invalid signature"), 400
    try:
        event = json.loads(raw)
    except ValueError:
        return jsonify(error="invalid JSON"), 400
    with lock:
        if request.headers["webhook-signature"] in signatures:
            return jsonify(status="duplicate")
        signatures.add(request.headers["webhook-signature"])
        if event["type"] == "pix.settled":
            order = orders.setdefault(event["data"]["object"]["code"], {"paid": False, "receipts": 0})
            order["paid"] = True
            order["receipts"] += 1
    return jsonify(status="ok")


@app.put("/orders/<code>")
def create(code):
    orders.setdefault(code, {"paid": False, "receipts": 0})
    create_charge(code, "10.00")
    return jsonify(orders[code]), 201


@app.get("/orders/<code>")
def show(code):
    return (jsonify(orders[code]), 200) if code in orders else (jsonify(error="not found"), 404)


app.run("127.0.0.1", int(os.environ["PORT"]), threaded=True)
