"""Addresses of the webhooks of a study."""

from tercet.annotation.web.responses import route
from tercet.annotation.web.webhooks import views

urlpatterns = [
    route("", views.study_webhooks),
    route("<int:pk>/test/", views.study_webhook_test),
    route("<int:pk>/remove/", views.study_webhook_remove),
]
