"""A small HTTPS proxy on loopback, for rehearsals only: `deploy/Caddyfile` is for real sites."""

import http.client
import ssl
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding"}
PATIENCE = 300


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for localhost and its key, which are valid for a day."""
    file, key = folder / "localhost.pem", folder / "localhost.key"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]

    subprocess.run(
        ["openssl", "req", *kind, *subject, "-keyout", key, "-out", file],
        check=True,
        capture_output=True,
    )
    return file, key


def proxy(site: tuple[str, int], file: Path, key: Path) -> ThreadingHTTPServer:
    """Return a server on a free port that passes requests over HTTPS on to a site."""

    class Handler(BaseHTTPRequestHandler):
        """Pass a request on, and say that it came over HTTPS and from whom."""

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            headers = {
                name: value
                for name, value in self.headers.items()
                if name.lower() not in HOP_BY_HOP
            }
            headers |= {
                "X-Forwarded-Proto": "https",
                "X-Forwarded-For": self.client_address[0],
            }

            upstream = http.client.HTTPConnection(*site, timeout=PATIENCE)
            upstream.request(self.command, self.path, body, headers)
            self._answer(upstream.getresponse())
            upstream.close()

        do_POST = do_GET  # noqa: N815

        def _answer(self, response: http.client.HTTPResponse) -> None:
            body = response.read()
            self.send_response_only(response.status, response.reason)
            for name, value in response.getheaders():
                if name.lower() not in {*HOP_BY_HOP, "content-length"}:
                    self.send_header(name, value)

            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    return server
