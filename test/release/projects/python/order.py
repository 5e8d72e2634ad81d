"""Creates an order, as a customer does: python3 order.py <code> [amount]"""

import json
import sys
import urllib.request

code, amount = (sys.argv[1:] + ['10.00'])[:2]
body = json.dumps({'amount': amount}).encode()
urllib.request.urlopen(urllib.request.Request(f'http://localhost:3000/orders/{code}', body, method='PUT')).close()
