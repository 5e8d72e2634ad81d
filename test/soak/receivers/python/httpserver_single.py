# Correct: http.server with one thread; reads chunked bodies itself, as this server does not.
import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit
from charge import create_charge
from signature import is_authentic

orders, seen = {}, set()


class Handler(BaseHTTPRequestHandler):
    def read_body(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return body

    def reply(self, status, value=None):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def do_POST(self):
        body = self.read_body()
        if self.path != "/webhooks":
            return self.reply(404)
        if not is_authentic(self.headers, body):
            return self.reply(400, {"error": "invalid signature"})
        try:
            event = json.loads(body)
        except ValueError:
            return self.reply(400, {"error": "invalid JSON"})
        if self.headers["webhook-id"] not in seen:
            code = event["data"]["object"]["code"]
            order = orders.setdefault(code, {"status": "PENDING", "credits": []})
            if event["type"] == "pix.settled":
                order["status"] = "PAID"
                order["credits"].append(event["data"]["object"]["amount"])
            elif event["type"] == "pix.expired" and order["status"] == "PENDING":
                order["status"] = "EXPIRED"
            seen.add(self.headers["webhook-id"])
        self.reply(200)

    def do_PUT(self):
        url = urlsplit(self.path)
        code = url.path.removeprefix("/orders/")
        orders.setdefault(code, {"status": "PENDING", "credits": []})
        create_charge(code, parse_qs(url.query).get("amount", ["10.00"])[0])
        self.reply(201)

    def do_GET(self):
        order = orders.get(self.path.removeprefix("/orders/"))
        self.reply(200 if order else 404, order)

    def log_message(self, *args):
        pass


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
