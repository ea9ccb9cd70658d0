"""nginx, which serves a folder, at the end of a line that takes some time."""

import os
import shutil
import socket
import subprocess
import time

from bench_server import Failure

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
CONFIGURATION = """
{user} worker_processes 1; daemon off; pid {own}/pid; error_log {own}/errors;
events {{ worker_connections 512; }}
http {{
    sendfile on; tcp_nodelay on; log_format brief "$request_uri"; access_log {own}/log brief;
    client_body_temp_path {own}/t1; proxy_temp_path {own}/t2; fastcgi_temp_path {own}/t3;
    uwsgi_temp_path {own}/t4; scgi_temp_path {own}/t5;
    server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""


def free_port():
    """One that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def wait_for(port):
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
    raise Failure(f"nginx does not answer at port {port}")


class Site:
    def __init__(self, root, own, delayed, ms):
        """root: the folder; own: where nginx may write; delayed: the program."""
        root, own = os.path.abspath(root), os.path.abspath(own)
        os.makedirs(own)
        os.chmod(root, 0o755)
        port, self.log = free_port(), os.path.join(own, "log")
        with open(os.path.join(own, "conf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(user="" if os.getuid() else "user root;", own=own, port=port, root=root))
        self.nginx = subprocess.Popen([NGINX, "-p", own, "-e", os.path.join(own, "errors"),
                                       "-c", os.path.join(own, "conf")])
        self.line = None
        try:
            wait_for(port)
            self.line = subprocess.Popen([delayed, str(port), str(ms)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True)
            self.url = f"http://127.0.0.1:{int(self.line.stdout.readline())}"
        except BaseException:
            self.end()
            raise

    def requests(self):
        """How many have been answered."""
        with open(self.log, "rb") as file:
            return file.read().count(b"\n")

    def end(self):
        if self.line:
            self.line.stdin.close()
            self.line.wait()
        self.nginx.terminate()
        self.nginx.wait()
