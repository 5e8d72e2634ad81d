# Eleven seconds of work before the response: each attempt has failed by then, though the order is paid.
import asyncio, json, os
import uvicorn
from fastapi import FastAPI, HTTPException, Request
from charge import create_charge
from signature import is_authentic

app = FastAPI()
orders = {}


@app.post("/webhooks")
async def webhooks(request: Request):
    body = await request.body()
    if not is_authentic(request.headers, body):
        raise HTTPException(status_code=401)
    try:
        event = json.loads(body)
    except ValueError:
        raise HTTPException(status_code=400)
    await asyncio.sleep(11)  # the invoice
    if event["type"] == "pix.settled":
        orders[event["data"]["object"]["code"]] = {"status": "paid"}
    return {"ok": True}


@app.put("/orders/{code}")
def create(code: str):
    orders.setdefault(code, {"status": "open"})
    return create_charge(code, "10.00")


@app.get("/orders/{code}")
async def show(code: str):
    return orders.get(code, {"status": "unknown"})


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
