"""Checks the signature vectors with Python's standard library alone, as a second opinion.

Usage: python3 check_vectors.py FOLDER. Prints one line for each vector that it decides otherwise, and a count.
"""

import base64
import binascii
import hashlib
import hmac
import json
import pathlib
import re
import sys

TIMESTAMP = re.compile(r"[0-9]{1,12}")
NONCE = re.compile(r"[A-Za-z0-9_-]{16,128}")
V1 = re.compile(r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=")
SIGNATURE = {"hex": re.compile(r"[0-9a-f]{64}"), "base64": V1}


def body_of(vector):
    if "body" in vector:
        return vector["body"].encode("utf-8")
    return base64.b64decode(vector["body_base64"], validate=True)


def webhook_key(secret):
    encoded = secret[len("whsec_"):]
    try:
        key = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return None
    canonical = base64.b64encode(key).decode() == encoded
    return key if secret.startswith("whsec_") and key and canonical else None


def webhook_cause(vector):
    keys = [webhook_key(secret) for secret in vector["secrets"]]
    if None in keys:
        return "invalid_secret"
    headers = vector["headers"]
    message_id, timestamp, signatures = (headers.get("webhook-" + name) for name in ("id", "timestamp", "signature"))
    if not message_id or not timestamp or not signatures:
        return "missing_header"
    if not TIMESTAMP.fullmatch(timestamp):
        return "invalid_timestamp"
    age = vector["now_s"] - int(timestamp)
    if abs(age) > vector["tolerance_s"]:
        return "timestamp_too_old" if age > 0 else "timestamp_too_new"
    entries = [entry for entry in signatures.split(" ") if entry]
    supported = [entry[3:] for entry in entries if entry.startswith("v1,")]
    if not supported:
        return "no_supported_signature"
    formed = [signature for signature in supported if V1.fullmatch(signature)]
    if not formed:
        return "malformed_signature"
    content = f"{message_id}.{timestamp}.".encode() + body_of(vector)
    for at, key in enumerate(keys):
        expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
        if any(hmac.compare_digest(expected, signature) for signature in formed):
            assert at == vector["secret_index"], "another secret matched"
            assert entries.index("v1," + expected) == vector["signature_index"], "another signature matched"
            return None
    return "signature_mismatch"


def encoded(raw, encoding):
    return raw.hex() if encoding == "hex" else base64.b64encode(raw).decode()


def request_cause(vector):
    headers, scheme = vector["headers"], vector["scheme"]
    timestamp, nonce, signature = (headers.get("x-" + name) for name in ("timestamp", "nonce", "signature"))
    if not timestamp or not nonce or not signature:
        return "missing_header"
    if not TIMESTAMP.fullmatch(timestamp):
        return "invalid_timestamp"
    if not NONCE.fullmatch(nonce):
        return "invalid_nonce"
    if not SIGNATURE[scheme["signature_encoding"]].fullmatch(signature):
        return "invalid_signature_format"
    if abs(vector["now_s"] - int(timestamp)) > vector["tolerance_s"]:
        return "timestamp_out_of_range"
    path = vector["target"] if scheme["path_form"] == "target" else vector["target"].split("?")[0]
    digest = encoded(hashlib.sha256(body_of(vector)).digest(), scheme["digest_encoding"])
    canonical = ".".join([timestamp, nonce, vector["method"], path, digest])
    assert vector.get("canonical", canonical) == canonical, "another canonical string"
    made = hmac.new(vector["secret"].encode("utf-8"), canonical.encode("ascii"), hashlib.sha256).digest()
    return None if hmac.compare_digest(encoded(made, scheme["signature_encoding"]), signature) else "signature_mismatch"


def main(folder):
    wrong = count = 0
    for file in sorted(pathlib.Path(folder).glob("*.json")):
        for vector in json.loads(file.read_text(encoding="utf-8"))["vectors"]:
            cause = webhook_cause(vector) if file.name.startswith("webhook") else request_cause(vector)
            verdict = "accept" if cause is None else "refuse"
            count += 1
            if (verdict, cause) != (vector["verdict"], vector["cause"]):
                wrong += 1
                print(f"{file.name}: {vector['name']}: expected {vector['cause']}, got {cause}")
    print(f"{count} vectors, {wrong} decided otherwise")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
