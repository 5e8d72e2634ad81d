import json
import os
import threading
import time
import unittest
from urllib.request import Request, urlopen

from werkzeug.serving import make_server

import courses

port = int(os.environ.get("PORT", 3000))


def fetch(url, method="GET", body=None):
    encoded = json.dumps(body).encode() if body is not None else None
    return json.loads(urlopen(Request(url, encoded, {"Content-Type": "application/json"}, method=method), timeout=30).read())


class CoursesTests(unittest.TestCase):
    def setUp(self):
        self.server = make_server("127.0.0.1", port, courses.app, threaded=True)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def tearDown(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def test_student_is_enrolled_after_payment(self):
        shop = f"http://127.0.0.1:{port}"
        purchase = fetch(shop + "/purchases", "POST", {"student": "ana", "course": "python"})
        self.assertEqual(fetch(shop + "/students/ana"), [])
        fetch(f"{os.environ['SANDBOX_URL']}/_sandbox/charges/{purchase['charge']}/settle", "POST")
        for _ in range(150):
            if fetch(shop + "/students/ana"):
                break
            time.sleep(0.1)
        self.assertEqual(fetch(shop + "/students/ana"), ["python"])


if __name__ == "__main__":
    unittest.main()
