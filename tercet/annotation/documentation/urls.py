"""Addresses of the documentation."""

from tercet.annotation.documentation import views
from tercet.annotation.responses import route

urlpatterns = [
    route("", views.documentation),
    route("pictures/<str:file>", views.documentation_picture),
    route("<slug:page>/", views.documentation),
    route("<slug:page>/<slug:section>/", views.documentation),
]
