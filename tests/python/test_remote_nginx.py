"""nginx, over TLS and HTTP/2 and without them, serves what the files hold."""

import os
import shutil
import socket
import subprocess
import time

import by_hand  # noqa: F401
import numpy as np
import pytest

import drx
from test_remote import KINDS, made, surroundings  # noqa: F401

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
pytestmark = pytest.mark.skipif(not NGINX or not shutil.which("openssl"), reason="needs nginx and openssl")

CONFIGURATION = """
worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 256; }}
http {{
    log_format brief "$server_protocol $status $request_uri"; access_log {folder}/log brief;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    server {{ listen 127.0.0.1:{plain}; root {root}; }}
    server {{ listen 127.0.0.1:{secure} ssl http2; root {root}; gzip on; gzip_types *;
              ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem; }}
}}
"""


def free_ports(n):
    """Ports that were free a moment ago."""
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return ports


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    folder, root = tmp_path_factory.mktemp("nginx"), tmp_path_factory.mktemp("served")
    for one in (folder.parent, folder, root):
        one.chmod(0o755)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem"], check=True, capture_output=True)
    plain, secure = free_ports(2)
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "conf").write_text(user + CONFIGURATION.format(folder=folder, root=root, plain=plain, secure=secure))
    process = subprocess.Popen([NGINX, "-p", folder, "-e", folder / "errors", "-c", folder / "conf"])
    try:
        for port in (plain, secure):
            until(lambda port=port: socket.create_connection(("127.0.0.1", port), 1).close())
        yield {"plain": f"http://127.0.0.1:{plain}", "secure": f"https://localhost:{secure}", "root": root,
               "folder": folder}
    finally:
        process.terminate()
        process.wait(10)


def until(connect):
    """Try again until it passes."""
    for _ in range(100):
        try:
            return connect()
        except OSError:
            time.sleep(0.05)
    return connect()


@pytest.mark.parametrize("way", ["plain", "secure"])
@pytest.mark.parametrize("kind", ["raw", "checksummed", "compressed", "striped"])
def test_arrays(nginx, monkeypatch, way, kind):
    monkeypatch.setenv("CURL_CA_BUNDLE", str(nginx["folder"] / "cert.pem"))
    monkeypatch.chdir(nginx["root"])
    name = f"{kind}-{way}"
    values = made(name, (600, 700), chunks=(100, 100), **KINDS[kind])
    with drx.open(f"{nginx[way]}/{name}") as a:
        assert (a[...] == values).all()
        assert (a[7:300:5, 3] == values[7:300:5, 3]).all()
        for n in (1, 2):
            with drx.open(name, "r+") as grown:
                grown.append(np.full((5, 700), n), axis=0)
            assert (a[100:580] == values[100:580]).all()
            a.refresh()
            assert a.shape[0] == 600 + 5 * n and (a[600 + 5 * (n - 1):] == n).all()
    with open(nginx["folder"] / "log", encoding="utf-8") as log:
        protocols = {line.split()[0] for line in log if name in line}
    assert protocols == {"HTTP/1.1" if way == "plain" else "HTTP/2.0"}


def test_datasets(nginx, monkeypatch):
    import xarray as xr

    monkeypatch.setenv("CURL_CA_BUNDLE", str(nginx["folder"] / "cert.pem"))
    ds = xr.Dataset({"v": (("t", "x"), np.arange(12.0).reshape(4, 3))}, coords={"t": np.arange(4.0)})
    drx.save_dataset(ds, nginx["root"] / "ds")
    with xr.open_dataset(f"{nginx['secure']}/ds", engine="drx") as read:
        xr.testing.assert_identical(read.load(), ds)


def test_certificates(nginx, monkeypatch):
    """A server that nobody vouches for is refused."""
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    with pytest.raises(OSError, match="a.xmd: reading 65536 bytes at offset 0: .*(certificate|SSL)"):
        drx.open(f"{nginx['secure']}/a")
