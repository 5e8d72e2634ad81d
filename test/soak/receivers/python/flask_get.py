# The route takes GET, too, which somebody once added to see in a browser that it is there.
import json, os
from flask import Flask, jsonify, request
from charge import create_charge
from signature import is_authentic

app = Flask(__name__)
orders = {}


@app.route("/webhooks", methods=["GET", "POST"])
def webhooks():
    if not is_authentic(request.headers, request.get_data()):
        return jsonify(error="invalid signature"), 403
    try:
        event = json.loads(request.get_data())
    except ValueError:
        return jsonify(error="invalid JSON"), 400
    code = event["data"]["object"]["code"]
    if event["type"] == "pix.settled":
        orders[code] = {"status": "paid", "total": event["data"]["object"]["amount"]}
    elif event["type"] == "pix.expired" and orders.get(code, {}).get("status") != "paid":
        orders[code] = {"status": "expired"}
    return jsonify(ok=True)


@app.put("/orders/<code>")
def create(code):
    orders.setdefault(code, {"status": "new"})
    create_charge(code, request.args.get("amount", "10.00"))
    return jsonify(orders[code]), 201


@app.get("/orders/<code>")
def show(code):
    return jsonify(orders.get(code))


app.run("127.0.0.1", int(os.environ["PORT"]), threaded=True)
