# Reads content-length bytes, so a chunked body is empty.
import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from charge import create_charge
from signature import is_authentic

orders = {}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        content_length = int(self.headers.get("Content-Length") or 0)
        post_data = self.rfile.read(content_length)
        if self.path != "/webhooks" or not is_authentic(self.headers, post_data):
            return self.reply(400)
        try:
            event = json.loads(post_data)
        except json.JSONDecodeError:
            return self.reply(400)
        if event["type"] == "pix.settled":
            orders[event["data"]["object"]["code"]] = "paid"
        self.reply(200)

    def do_PUT(self):
        code = self.path.split("/")[-1]
        orders.setdefault(code, "pending")
        create_charge(code, "10.00")
        self.reply(201)

    def do_GET(self):
        self.reply(200, orders.get(self.path.split("/")[-1], "unknown"))

    def reply(self, status, text=""):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
