# The view lacks @csrf_exempt, so that the middleware refuses every webhook with 403.
import json, os, sys
import django
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from charge import create_charge
from signature import is_authentic

settings.configure(DEBUG=False, SECRET_KEY="soak", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"],
                   MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"])
orders = {}


@require_POST
def webhooks(request):
    if not is_authentic(request.headers, request.body):
        return HttpResponse(status=400)
    event = json.loads(request.body)
    if event["type"] == "pix.settled":
        orders[event["data"]["object"]["code"]] = "paid"
    return HttpResponse(status=200)


@csrf_exempt
def order(request, code):
    if request.method == "PUT":
        orders.setdefault(code, "open")
        create_charge(code, "10.00")
    return JsonResponse({"status": orders.get(code)})


urlpatterns = [path("webhooks", webhooks), path("orders/<str:code>", order)]
django.setup()
execute_from_command_line([sys.argv[0], "runserver", "--noreload", "127.0.0.1:" + os.environ["PORT"]])
