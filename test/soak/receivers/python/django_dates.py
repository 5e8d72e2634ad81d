# Right but for chunked bodies, which runserver never reads: Django in one file; the probe prints dates in Portuguese and an age.
import json, os, sys, threading, time
from datetime import datetime
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
                   DATA_UPLOAD_MAX_MEMORY_SIZE=5_000_000, MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"])
MONTHS = "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro".split()
lock = threading.Lock()
orders, seen = {}, set()


def in_words(at):
    moment = datetime.fromtimestamp(at)
    return f"{moment.day} de {MONTHS[moment.month - 1]} de {moment.year} às {moment:%H:%M:%S}"


@csrf_exempt
@require_POST
def webhooks(request):
    if not is_authentic(request.headers, request.body):
        return HttpResponse("Assinatura inválida", status=401)
    try:
        event = json.loads(request.body)
    except ValueError:
        return HttpResponse("JSON inválido", status=400)
    with lock:
        if request.headers["webhook-id"] not in seen:
            seen.add(request.headers["webhook-id"])
            if event["type"] in ("pix.settled", "pix.expired", "pix.failed"):
                apply(event)
    return HttpResponse(status=200)


def apply(event):
    charge = event["data"]["object"]
    order = orders.setdefault(charge["code"], {"created": time.time(), "status": "aguardando"})
    if event["type"] == "pix.settled":
        order.update(status="pago", paid=time.time(), amount=charge["amount"])
    elif order["status"] == "aguardando":
        order["status"] = "expirado"


@csrf_exempt
def order(request, code):
    if request.method == "PUT":
        with lock:
            orders.setdefault(code, {"created": time.time(), "status": "aguardando"})
        create_charge(code, request.GET.get("amount", "10.00"))
        return HttpResponse(status=201)
    found = orders.get(code)
    if found is None:
        return HttpResponse("Pedido não encontrado", status=404)
    view = {"situação": found["status"], "criado em": in_words(found["created"])}
    if "paid" in found:
        view |= {"valor": "R$ " + found["amount"].replace(".", ","), "pago em": in_words(found["paid"]),
                 "pago": f"há {int(time.time() - found['paid'])} s"}
    return JsonResponse(view, json_dumps_params={"ensure_ascii": False})


urlpatterns = [path("webhooks", webhooks), path("orders/<str:code>", order)]
django.setup()
execute_from_command_line([sys.argv[0], "runserver", "--noreload", "127.0.0.1:" + os.environ["PORT"]])
