"""Addresses of the front page, its example, and shared views of results."""

from tercet.annotation.responses import route
from tercet.annotation.results import home_views, shared_views

urlpatterns = [
    route("", home_views.home),
    route("example/<int:number>/", home_views.example_question),
    route("shared/<str:code>/", shared_views.shared_view),
    route("shared/<str:code>/<str:file>", shared_views.shared_file),
]
