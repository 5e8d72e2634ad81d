# get_object_or_404: an event about an order that is not there yet is answered 404.
import json, os, sys
import django
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import Http404, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from charge import create_charge
from signature import is_authentic

settings.configure(DEBUG=False, SECRET_KEY="soak", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"])
orders = {}


def get_order_or_404(code):
    if code not in orders:
        raise Http404("No Order matches the given query.")
    return orders[code]


@csrf_exempt
@require_POST
def webhooks(request):
    if not is_authentic(request.headers, request.body):
        return HttpResponseBadRequest("invalid signature")
    try:
        event = json.loads(request.body)
    except ValueError:
        return HttpResponseBadRequest("invalid JSON")
    if event["type"] in ("pix.settled", "pix.expired", "pix.failed"):
        order = get_order_or_404(event["data"]["object"]["code"])
        if event["type"] == "pix.settled":
            order.update(status="PAID", amount_paid=event["data"]["object"]["amount"])
        elif order["status"] == "PENDING":
            order.update(status="CANCELLED")
    return HttpResponse("ok")


@csrf_exempt
def order(request, code):
    if request.method == "PUT":
        orders.setdefault(code, {"status": "PENDING"})
        create_charge(code, request.GET.get("amount", "10.00"))
        return HttpResponse(status=201)
    return JsonResponse(get_order_or_404(code))


urlpatterns = [path("webhooks", webhooks), path("orders/<str:code>", order)]
django.setup()
execute_from_command_line([sys.argv[0], "runserver", "--noreload", "127.0.0.1:" + os.environ["PORT"]])
