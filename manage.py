#!/usr/bin/env python
"""Tercet's command line in a checkout: `python manage.py help` lists the commands."""

from tercet.config.__main__ import main

if __name__ == "__main__":
    main()
