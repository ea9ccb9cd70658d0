"""A server of files for tests, with faults. It runs in threads of the test, on a free port of the loopback."""

import datetime
import hashlib
import hmac
import os
import socket
import threading
import time
import urllib.parse
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Threads(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client may cut its connection."""


class Server:
    """Serves a folder. `fault(request)` may answer in the server's place: it returns True then."""

    def __init__(self, folder, *, ranges=True, conditions=True, tags="strong", secret=None, context=None):
        self.folder, self.ranges, self.conditions, self.tags = str(folder), ranges, conditions, tags
        self.secret = secret  # of S3: {key: secret}; requests without a right signature get 403
        self.fault = None
        self.delay = 0
        self.handshake = 0  # seconds before the first answer of a connection
        self.connections = 0
        self.age = 100  # seconds by which files look older than they are: others may change without another date
        self.asked = []  # (path, range, status)
        self._lock = threading.Lock()
        self._http = Threads(("127.0.0.1", 0), type("Bound", (Handler,), {"server_of_files": self}))
        if context:
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self.port = self._http.server_address[1]
        self.url = f"http{'s' if context else ''}://{'localhost' if context else '127.0.0.1'}:{self.port}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def note(self, *what):
        with self._lock:
            self.asked.append(what)

    def count(self):
        """How many requests came since the last call."""
        with self._lock:
            n = len(self.asked)
            self.asked.clear()
        return n

    def close(self):
        self._http.shutdown()
        self._http.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_files = None

    def setup(self):
        super().setup()
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.server_of_files._lock:
            self.server_of_files.connections += 1
        time.sleep(self.server_of_files.handshake)

    def log_message(self, *text):
        pass

    def log_request(self, code="-", size="-"):
        self.server_of_files.note(self.path, self.headers.get("Range"), code)

    def do_GET(self):
        s = self.server_of_files
        if s.delay:
            time.sleep(s.delay)
        if s.fault and s.fault(self):
            return
        if s.secret is not None and not signed(self, s.secret):
            self.refuse(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
            return
        self.serve()

    def refuse(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cut(self):
        """Cut the connection."""
        self.close_connection = True
        try:
            self.request.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def file(self):
        path = urllib.parse.unquote(self.path)
        return os.path.join(self.server_of_files.folder, os.path.normpath("/" + path).lstrip("/"))

    def state(self, file, status):
        """Headers that tell the state of a file: by its bytes, since the system's clock for files ticks slowly."""
        kind = self.server_of_files.tags
        if kind == "nginx":
            tag = f'"{int(status.st_mtime):x}-{status.st_size:x}"'
            return {"Last-Modified": formatdate(status.st_mtime, usegmt=True), "ETag": tag}
        tag = f'"{hashlib.blake2b(file.read(), digest_size=12).hexdigest()}"'
        changed = status.st_mtime - self.server_of_files.age
        headers = {"Last-Modified": formatdate(changed, usegmt=True)} if kind != "none" else {}
        if kind in ("strong", "weak"):
            headers["ETag"] = tag if kind == "strong" else "W/" + tag
        return headers

    def serve(self):
        s = self.server_of_files
        try:
            with open(self.file(), "rb") as file:
                status = os.fstat(file.fileno())
                headers = self.state(file, status)
                given = {name: self.headers.get(name) for name in ("If-Match", "If-None-Match", "If-Unmodified-Since")}
                tag, when = headers.get("ETag"), headers.get("Last-Modified")
                if s.conditions and (given["If-Match"] not in (None, tag)
                                     or given["If-Unmodified-Since"] not in (None, when)):
                    return self.refuse(412)
                if s.conditions and (given["If-None-Match"] is not None and given["If-None-Match"] == tag
                                     or given["If-None-Match"] is None
                                     and self.headers.get("If-Modified-Since", "") == when and when):
                    self.send_response(304)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    return None
                self.send_range(file, status.st_size, headers)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return self.refuse(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def range(self, size):
        """(from, to) of the file, as asked for; None: all of it."""
        if not self.server_of_files.ranges or not self.headers.get("Range"):
            return None
        first, last = self.headers["Range"].split("=")[1].split("-")
        return int(first), min(int(last), size - 1)

    def send_range(self, file, size, headers):
        asked = self.range(size)
        if asked and asked[0] >= size:
            return self.refuse(416, **{"Content-Range": f"bytes */{size}", **headers})
        first, last = asked or (0, size - 1)
        self.send_response(206 if asked else 200)
        for name, value in headers.items():
            self.send_header(name, value)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        file.seek(first)
        self.wfile.write(file.read(last + 1 - first))
        return None


# ---- signatures of S3, version 4 ----

def signed(request, secrets):
    """Whether a request has the signature that it must have, made again from the rules that Amazon publishes."""
    words = request.headers.get("Authorization", "").replace(",", " ").split()
    if not words or words[0] != "AWS4-HMAC-SHA256":
        return False
    parts = dict(word.split("=", 1) for word in words[1:])
    key, day, region, service, end = parts["Credential"].split("/")
    names = parts["SignedHeaders"].split(";")
    body = request.headers.get("x-amz-content-sha256")
    when = request.headers.get("x-amz-date", "")
    if key not in secrets or end != "aws4_request" or service != "s3" or "host" not in names or not when.startswith(day):
        return False
    if abs((datetime.datetime.strptime(when, "%Y%m%dT%H%M%SZ") - datetime.datetime.utcnow()).total_seconds()) > 900:
        return False
    if body != hashlib.sha256(b"").hexdigest() or any(name.lower().startswith("x-amz-") and name.lower() not in names
                                                      for name in request.headers):
        return False
    path, _, query = request.path.partition("?")
    lines = [request.command, urllib.parse.quote(urllib.parse.unquote(path), safe="/-._~"), query]
    lines += [f"{name}:{' '.join(request.headers.get(name, '').split())}" for name in names]
    lines += ["", ";".join(names), body]
    scope = f"{day}/{region}/{service}/{end}"
    text = "\n".join(["AWS4-HMAC-SHA256", when, scope, hashlib.sha256("\n".join(lines).encode()).hexdigest()])
    made = ("AWS4" + secrets[key]).encode()
    for part in (day, region, service, end):
        made = hmac.new(made, part.encode(), hashlib.sha256).digest()
    return hmac.compare_digest(hmac.new(made, text.encode(), hashlib.sha256).hexdigest(), parts["Signature"])
