"""A shop that takes PIX payments, with nothing but the standard library. BUG is replaced by the name of a bug, or by nothing."""

import base64
import hashlib
import hmac
import json
import os
import re
import threading
import time
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BUG = ''
PORT = 3000
TOLERANCE_S = 300
EVENT = 'pix.paid' if BUG == 'other-event' else 'pix.settled'

env = os.environ
orders = {}
seen = set()
lock = threading.Lock()


def create_order(code, amount):
    path = '/api/public/v1/pix'
    body = json.dumps({'account_id': env['SANDBOX_ACCOUNT_ID'], 'code': code, 'amount': amount}).encode()
    timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
    signed = f'{timestamp}.{nonce}.POST.{path}.{hashlib.sha256(body).hexdigest()}'
    headers = {
        'authorization': f"Bearer {env['SANDBOX_TOKEN']}",
        'content-type': 'application/json',
        'x-timestamp': timestamp,
        'x-nonce': nonce,
        'x-signature': hmac.new(env['SANDBOX_SIGNING_SECRET'].encode(), signed.encode(), hashlib.sha256).hexdigest(),
    }
    # A webhook may come before the response.
    orders[code] = {'code': code, 'status': 'open', 'paid': '0.00', 'payments': 0}
    request = urllib.request.Request(env['SANDBOX_BASE_URL'] + path, body, headers)
    urllib.request.urlopen(request).close()
    return orders[code]


def is_genuine(headers, body):
    if BUG == 'no-signature-check':
        return True
    webhook_id, timestamp = headers.get('webhook-id', ''), headers.get('webhook-timestamp', '')
    if not webhook_id or not re.fullmatch(r'[0-9]+', timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    text = env['SANDBOX_WEBHOOK_SECRET'].removeprefix('whsec_')
    key = text.encode() if BUG == 'secret-as-text' else base64.b64decode(text)
    signed = json.dumps(json.loads(body)).encode() if BUG == 'reserialized-body' else body
    message = f'{webhook_id}.{timestamp}.'.encode() + signed
    expected = b'v1,' + base64.b64encode(hmac.new(key, message, hashlib.sha256).digest())
    signatures = headers.get('webhook-signature', '').encode('latin-1').split(b' ')
    return any(hmac.compare_digest(each, expected) for each in signatures)


def handle(event, webhook_id):
    with lock:
        if BUG != 'no-deduplication':
            if webhook_id in seen:
                return
            seen.add(webhook_id)
        kind, payment = event['type'], event['data']['object']
        order = orders.get(payment.get('code'))
        if order is None:
            return
        if kind == EVENT:
            order.update(status='paid', paid=payment['amount'], payments=order['payments'] + 1)
        elif kind == 'pix.expired' and order['status'] == 'open':
            order['status'] = 'expired'
        elif kind == 'pix.returned':
            order['status'] = 'returned'


class Shop(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        body = self.read()
        if self.path != '/webhooks':
            return self.send(404, {'error': 'This path does not exist.'})
        if not is_genuine(self.headers, body):
            return self.send(400, {'error': 'The signature does not hold.'})
        try:
            handle(json.loads(body), self.headers['webhook-id'])
        except (ValueError, KeyError, TypeError, AttributeError):
            return self.send(400, {'error': 'The request cannot be read.'})
        return self.send(200, {})

    def do_PUT(self):
        return self.send(201, create_order(self.path.rpartition('/')[2], json.loads(self.read())['amount']))

    def do_GET(self):
        order = orders.get(self.path.rpartition('/')[2])
        return self.send(404 if order is None else 200, order)

    def read(self):
        return self.rfile.read(int(self.headers.get('content-length', 0)))

    def send(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128


if __name__ == '__main__':
    Server(('', PORT), Shop).serve_forever()
