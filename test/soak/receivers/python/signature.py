"""Verifies webhooks as the specification of Standard Webhooks says it."""
import base64
import hashlib
import hmac
import os
import re
import time


def is_authentic(headers, body):
    key = base64.b64decode(os.environ["SANDBOX_WEBHOOK_SECRET"][len("whsec_"):])
    message_id = headers.get("webhook-id")
    timestamp = headers.get("webhook-timestamp") or ""
    if not message_id or not re.fullmatch(r"[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > 300:
        return False
    content = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest())
    for entry in (headers.get("webhook-signature") or "").split(" "):
        version, _, signature = entry.partition(",")
        if version == "v1" and hmac.compare_digest(expected, signature.encode("utf-8", "surrogateescape")):
            return True
    return False
