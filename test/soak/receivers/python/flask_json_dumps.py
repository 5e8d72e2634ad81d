# Signs json.dumps() of the parsed body, which has a space after each comma and colon.
import base64, hashlib, hmac, json, os, time
from flask import Flask, abort, request
from charge import create_charge

app = Flask(__name__)
orders = {}
secret = base64.b64decode(os.environ["SANDBOX_WEBHOOK_SECRET"].split("_", 1)[1])


@app.route("/webhooks", methods=["POST"])
def webhook():
    payload = request.get_json()
    msg_id = request.headers["webhook-id"]
    timestamp = request.headers["webhook-timestamp"]
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        abort(400)
    to_sign = f"{msg_id}.{timestamp}.{json.dumps(payload)}".encode()
    expected = "v1," + base64.b64encode(hmac.new(secret, to_sign, hashlib.sha256).digest()).decode()
    signatures = request.headers["webhook-signature"].encode("latin-1", "replace").split(b" ")
    if not any(hmac.compare_digest(expected.encode(), signature) for signature in signatures):
        abort(401)
    if payload["type"] == "pix.settled":
        orders[payload["data"]["object"]["code"]] = "paid"
    return {"status": "success"}


@app.put("/orders/<code>")
def order(code):
    orders.setdefault(code, "pending")
    create_charge(code, "10.00")
    return {"status": orders[code]}, 201


@app.get("/orders/<code>")
def show(code):
    return {"status": orders.get(code, "missing")}


app.run("127.0.0.1", int(os.environ["PORT"]), threaded=True)
