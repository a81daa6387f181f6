"""Addresses of the front page and its example."""

from django.urls import path

from tercet.annotation.web.results import example_views, home

urlpatterns = [
    path("", home.home, name="home"),
    path(
        "example/figure/<str:file>", example_views.example_figure, name="example_figure"
    ),
    path(
        "example/<int:number>/", example_views.example_question, name="example_question"
    ),
]
