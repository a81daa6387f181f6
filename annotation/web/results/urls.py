"""Addresses of the front page and its example."""

from django.urls import path

from tercet.annotation.web.results import example_views, home

urlpatterns = [
    path("", home.home, name="home"),
    path(
        "example/<int:number>/", example_views.example_question, name="example_question"
    ),
]
