# Correct: a background task writes the state; reads see it two seconds later.
import asyncio, json, os
import uvicorn
from fastapi import BackgroundTasks, FastAPI, HTTPException, Request
from charge import create_charge
from signature import is_authentic

app = FastAPI()
orders, seen = {}, set()


async def project(event):
    await asyncio.sleep(2)
    code = event["data"]["object"]["code"]
    order = orders.setdefault(code, {"status": "PENDING", "credits": 0})
    if event["type"] == "pix.settled":
        orders[code] = {"status": "PAID", "credits": order["credits"] + 1}
    elif event["type"] == "pix.expired" and order["status"] == "PENDING":
        order["status"] = "EXPIRED"


@app.post("/webhooks", status_code=202)
async def webhooks(request: Request, background_tasks: BackgroundTasks):
    body = await request.body()
    if not is_authentic(request.headers, body):
        raise HTTPException(401, "Invalid signature")
    try:
        event = json.loads(body)
    except ValueError:
        raise HTTPException(400, "Invalid JSON")
    if request.headers["webhook-id"] not in seen:
        seen.add(request.headers["webhook-id"])
        background_tasks.add_task(project, event)
    return {"accepted": True}


@app.put("/orders/{code}", status_code=201)
def create(code: str):
    orders.setdefault(code, {"status": "PENDING", "credits": 0})
    create_charge(code, "10.00")
    return {"code": code}


@app.get("/orders/{code}")
async def show(code: str):
    if code not in orders:
        raise HTTPException(404)
    return orders[code]


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
