"""Addresses of the front page and its example."""

from tercet.annotation.web.responses import route
from tercet.annotation.web.results import example_views, home

urlpatterns = [
    route("", home.home),
    route("example/<int:number>/", example_views.example_question),
]
