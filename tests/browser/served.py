"""nginx as a server of files, for pages and for data, and the JavaScript that the pages need."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
HERE = pathlib.Path(__file__).resolve().parent
NO_NETWORK = ("EAI_AGAIN", "ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "EHOSTUNREACH", "ETIMEDOUT",
              "ERR_SOCKET_TIMEOUT", "ENOTCACHED")

CONFIGURATION = """
worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 256; }}
http {{
    types {{ text/html html; text/javascript js; application/json json; }}
    log_format brief "$server_port $status $request_uri $http_range"; access_log {folder}/log brief;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    root {root};
    server {{ listen 127.0.0.1:{pages}; }}
    server {{ listen 127.0.0.1:{data}; add_header Access-Control-Allow-Origin * always; }}
    server {{ listen 127.0.0.1:{whole}; add_header Access-Control-Allow-Origin * always; max_ranges 0; }}
}}
"""


class Nginx:
    """Serves the folder `root`: at `pages`; at `data`, for pages from elsewhere; and at `whole`, without ranges."""

    def __init__(self, folder, root):
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
        ports = [one.getsockname()[1] for one in sockets]
        for one in sockets:
            one.close()
        self.pages, self.data, self.whole = (f"http://127.0.0.1:{port}" for port in ports)
        self.log = pathlib.Path(folder, "log")
        user = "user root;" if os.getuid() == 0 else ""
        text = CONFIGURATION.format(folder=folder, root=root, pages=ports[0], data=ports[1], whole=ports[2])
        pathlib.Path(folder, "conf").write_text(user + text, encoding="utf-8")
        self.process = subprocess.Popen([NGINX, "-p", folder, "-e", f"{folder}/errors", "-c", f"{folder}/conf"])
        deadline = time.monotonic() + 20
        while True:
            try:
                for port in ports:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.02)

    def asked(self, url):
        """The ranges of a file that were asked for, in order. nginx notes a request after it has answered."""
        port, _, path = url.removeprefix("http://127.0.0.1:").partition("/")
        deadline = time.monotonic() + 5
        while True:
            lines = [line.split(" ", 3) for line in self.log.read_text(encoding="utf-8").splitlines()]
            ranges = [line[3] for line in lines if (line[0], line[2]) == (port, "/" + path)]
            if ranges or time.monotonic() > deadline:
                return ranges
            time.sleep(0.02)

    def close(self):
        self.process.terminate()
        self.process.wait(20)


def install(folder, lock=None):
    """(what failed, its text) of npm, which puts the packages of package-lock.json, or of the text `lock`, into
    folder/node_modules; (None, "") when it succeeded, ("network", ...) when there is none."""
    pathlib.Path(folder).mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    if lock is not None:
        pathlib.Path(folder, "package-lock.json").write_text(lock, encoding="utf-8")
    words = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1",
             "--fetch-timeout=60000", "--cache", os.path.join(os.environ["DRX_BUILD"], "npm")]
    made = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=300)
    if made.returncode == 0:
        return None, ""
    codes = re.findall(r"\b(?:code|errno) (\w+)", made.stdout)
    return "network" if set(codes) & set(NO_NETWORK) else codes[0] if codes else "npm", made.stdout
