"""Ask the site of this container whether it answers: the Dockerfile's health check."""

import os
from urllib.request import Request, urlopen

ADDRESS = "http://127.0.0.1:8000/healthz"


def main() -> None:
    """End with an error unless the site answers."""
    host = os.environ.get("ALLOWED_HOSTS", "localhost").partition(",")[0]
    urlopen(Request(ADDRESS, headers={"Host": host}), timeout=5)


if __name__ == "__main__":
    main()
