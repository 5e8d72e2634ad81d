# One worker, and three seconds of work for each event before the response. Right otherwise.
import json, os, time
from flask import Flask, request
from charge import create_charge
from signature import is_authentic

app = Flask(__name__)
orders, seen = {}, set()


@app.post("/webhooks")
def webhooks():
    if not is_authentic(request.headers, request.get_data()):
        return "unauthorized", 401
    try:
        event = json.loads(request.get_data())
    except ValueError:
        return "bad request", 400
    if request.headers["webhook-id"] in seen:
        return "", 200
    time.sleep(3)  # sends the receipt
    code = event["data"]["object"]["code"]
    if event["type"] == "pix.settled":
        orders[code] = "PAID"
    elif event["type"] == "pix.expired" and orders.get(code) != "PAID":
        orders[code] = "EXPIRED"
    seen.add(request.headers["webhook-id"])
    return "", 200


@app.put("/orders/<code>")
def order(code):
    orders.setdefault(code, "PENDING")
    create_charge(code, "10.00")
    return "", 201


@app.get("/orders/<code>")
def show(code):
    return {"status": orders.get(code)}


app.run("127.0.0.1", int(os.environ["PORT"]), threaded=False)
