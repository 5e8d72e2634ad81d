"""Creates the charge of an order, with the request signed."""
import hashlib
import hmac
import json
import os
import time
import urllib.request
import uuid

PATH = "/api/public/v1/pix"


def create_charge(code, amount):
    env = os.environ
    body = json.dumps({"account_id": env["SANDBOX_ACCOUNT_ID"], "code": code, "amount": amount}).encode()
    timestamp, nonce = str(int(time.time())), uuid.uuid4().hex
    digest = hashlib.sha256(body).hexdigest()
    text = f"{timestamp}.{nonce}.POST.{PATH}.{digest}"
    headers = {
        "Authorization": "Bearer " + env["SANDBOX_TOKEN"],
        "Content-Type": "application/json",
        "X-Timestamp": timestamp,
        "X-Nonce": nonce,
        "X-Signature": hmac.new(env["SANDBOX_SIGNING_SECRET"].encode(), text.encode(), hashlib.sha256).hexdigest(),
    }
    request = urllib.request.Request(env["SANDBOX_BASE_URL"] + PATH, body, headers, method="POST")
    with urllib.request.urlopen(request) as response:
        return json.load(response)
