# The route ends with a slash, so /webhooks is redirected.
import json, os
from flask import Flask, request
from charge import create_charge
from signature import is_authentic

app = Flask(__name__)
orders = {}


@app.route("/webhooks/", methods=["POST"])
def webhooks():
    if not is_authentic(request.headers, request.get_data()):
        return {"error": "unauthorized"}, 401
    event = json.loads(request.get_data())
    if event["type"] == "pix.settled":
        orders[event["data"]["object"]["code"]] = "paid"
    return {"ok": True}


@app.put("/orders/<code>")
def create(code):
    orders.setdefault(code, "open")
    create_charge(code, "10.00")
    return {"status": orders[code]}, 201


@app.get("/orders/<code>")
def show(code):
    return {"status": orders.get(code)}


app.run("127.0.0.1", int(os.environ["PORT"]), threaded=True)
