"""Django's admin over the same dealers, for comparison: `python3 admin.py <database>` prints its address, the cookie of somebody signed in, a dealer."""
import gzip
import mimetypes
import os
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": sys.argv[1]}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["django.contrib." + name for name in ("admin", "auth", "contenttypes", "sessions", "messages")],
    MIDDLEWARE=[
        "django.middleware.gzip.GZipMiddleware",
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    ROOT_URLCONF=__name__,
    SECRET_KEY="bench",
    STATIC_URL="/static/",
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": [
            "django.template.context_processors.request",
            "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages",
        ]},
    }],
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import models  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import path  # noqa: E402


class Company(models.Model):
    org = models.CharField(max_length=200)

    class Meta:
        app_label, db_table, managed = "auth", "companies", False

    def __str__(self):
        return self.org


class Dealer(models.Model):
    group_id = models.IntegerField()
    company = models.ForeignKey(Company, models.SET_NULL, null=True)
    manager = models.ForeignKey("self", models.SET_NULL, null=True)
    lastname = models.CharField(max_length=100)
    name = models.CharField(max_length=100)
    middlename = models.CharField(max_length=100, null=True)
    email = models.EmailField()
    phone = models.CharField(max_length=50, null=True)
    tg_id = models.CharField(max_length=50, null=True)
    active = models.BooleanField()

    class Meta:
        app_label, db_table, managed = "auth", "users", False

    def __str__(self):
        return f"{self.lastname} {self.name}"


@admin.register(Dealer)
class DealerAdmin(admin.ModelAdmin):
    list_display = ("lastname", "company", "name", "tg_id", "manager", "active")
    list_filter = ("active",)
    list_per_page = 25
    list_select_related = ("company", "manager")
    autocomplete_fields = ("company", "manager")
    search_fields = ("lastname", "name", "tg_id", "company__org")

    def get_queryset(self, request):
        return super().get_queryset(request).filter(group_id=2)


@admin.register(Company)
class CompanyAdmin(admin.ModelAdmin):
    search_fields = ("org",)


urlpatterns = [path("admin/", admin.site.urls)]
static = os.path.join(os.path.dirname(admin.__file__), "static")
pages = get_wsgi_application()


def application(environ, start):
    """Static files are compressed and kept, as servers in front of Django send them."""
    name = environ["PATH_INFO"]
    file = os.path.join(static, name[len("/static/"):])
    if not name.startswith("/static/") or not os.path.isfile(file):
        return pages(environ, start)
    with open(file, "rb") as content:
        body = gzip.compress(content.read())
    headers = {"Content-Encoding": "gzip", "Content-Length": str(len(body)), "Cache-Control": "max-age=31536000"}
    start("200 OK", [("Content-Type", mimetypes.guess_type(file)[0]), *headers.items()])
    return [body]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


call_command("migrate", verbosity=0)
client = Client()
client.force_login(User.objects.create_superuser("bench"))
with make_server("127.0.0.1", 0, application, Server, Handler) as server:
    newest = Dealer.objects.filter(group_id=2).latest("id").id
    print(f"http://127.0.0.1:{server.server_port} sessionid={client.cookies['sessionid'].value} {newest}", flush=True)
    server.serve_forever()
