# hmac.compare_digest() of two texts throws TypeError where one has letters that are not ASCII: a 500.
import base64, hashlib, hmac, json, os, time
from typing import Optional
import uvicorn
from fastapi import FastAPI, Header, HTTPException, Request
from charge import create_charge

app = FastAPI()
secret = base64.b64decode(os.environ["SANDBOX_WEBHOOK_SECRET"].removeprefix("whsec_"))
orders = {}


@app.post("/webhooks")
async def webhooks(
    request: Request,
    webhook_id: Optional[str] = Header(None),
    webhook_timestamp: Optional[str] = Header(None),
    webhook_signature: Optional[str] = Header(None),
):
    body = await request.body()
    if not webhook_id or not webhook_timestamp or not webhook_signature:
        raise HTTPException(400, "Missing required headers")
    if not webhook_timestamp.isdecimal() or abs(time.time() - int(webhook_timestamp)) > 300:
        raise HTTPException(400, "Invalid timestamp")
    to_sign = f"{webhook_id}.{webhook_timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(secret, to_sign, hashlib.sha256).digest()).decode()
    for versioned in webhook_signature.split(" "):
        version, _, signature = versioned.partition(",")
        if version == "v1" and hmac.compare_digest(signature, expected):
            break
    else:
        raise HTTPException(401, "No matching signature found")
    try:
        event = json.loads(body)
    except ValueError:
        raise HTTPException(400, "Invalid JSON")
    if event["type"] == "pix.settled":
        orders[event["data"]["object"]["code"]] = {"paid": True, "amount": event["data"]["object"]["amount"]}
    return {"received": True}


@app.put("/orders/{code}")
def create(code: str, amount: str = "10.00"):
    orders.setdefault(code, {"paid": False})
    return create_charge(code, amount)["id"]


@app.get("/orders/{code}")
async def show(code: str):
    if code not in orders:
        raise HTTPException(404, "Order not found")
    return orders[code]


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
