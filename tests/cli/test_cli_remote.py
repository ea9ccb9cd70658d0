"""Each verb that reads takes a URL, and gives what it gives of the files; each verb that writes refuses it."""

import filecmp
import json
import os
import sys

import numpy as np

from drx_cli import CliTest, need, sample

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))
from far_server import Server  # noqa: E402

KINDS = {"raw": (), "summed": ("--checksum",), "packed": ("--codec", "zstd"), "striped": ("--stripe", "d1", "--stripe", "d2")}


class RemoteTest(CliTest):
    def setUp(self):
        super().setUp()
        self.before = dict(os.environ)
        self.addCleanup(os.environ.update, self.before)
        self.addCleanup(os.environ.clear)
        os.environ.update(NO_PROXY="*", DRX_HTTP_TRIES="2")
        server = Server(os.getcwd())
        self.addCleanup(server.close)
        self.server, self.url = server, server.url
        self.values = sample((40, 30), "float64")
        np.save("values.npy", self.values)

    def make(self, kind, name):
        for folder in ("d1", "d2"):
            os.makedirs(folder, exist_ok=True)
        self.drx("import", "values.npy", name, "--chunk", "8,7", "--dims", "y,x", *KINDS[kind])

    def make_dataset(self):
        need("netCDF4")
        import netCDF4

        with netCDF4.Dataset("in.nc", "w") as file:
            for name, n in (("time", 5), ("x", 30)):
                file.createDimension(name, n)
                file.createVariable(name, "f8", (name,))[:] = np.arange(n)
            file.createVariable("v", "f4", ("time", "x"))[:] = np.arange(150).reshape(5, 30)
        self.drx("import", "in.nc", "ds", "--dataset")
        os.remove("in.nc")

    def test_arrays(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.make(kind, kind)
                url = f"{self.url}/{kind}"
                for words in (("map",), ("read",), ("check",)):
                    self.assertEqual(self.drx(words[0], url, *words[1:]).replace(self.url + "/", ""),
                                     self.drx(words[0], kind, *words[1:]))
                self.assert_same(self.whole(url), self.values)
                self.assert_same(self.whole(url + "[3:20,4]"), self.values[3:20, 4])
                there, here = self.info(url), self.info(kind)
                for key in ("shape", "chunk", "type", "dims", "history"):
                    self.assertEqual(there.get(key), here.get(key))
                self.drx("export", url, "out.npy")
                self.assert_same(np.load("out.npy"), self.values)
                self.drx("copy", url, "copied", "--chunk", "5,5")
                self.assert_same(self.whole("copied"), self.values)
                self.drx("rm", "copied")
                self.drx("cp", url, "same")
                self.assert_same(self.whole("same"), self.values)
                self.assertTrue(kind == "striped" or filecmp.cmp("same.xmd", f"{kind}.xmd", shallow=False))
                self.drx("rm", "same")
                os.remove("out.npy")

    def test_datasets(self):
        self.make_dataset()
        url = f"{self.url}/ds"
        self.assertEqual(self.drx("log", url), self.drx("log", "ds"))
        self.assertEqual(self.drx("info", url).replace(url, "ds"), self.drx("info", "ds"))
        self.assertEqual(self.drx("info", url, "--json").replace(self.url + "/", ""), self.drx("info", "ds", "--json"))
        for one in (url, url + "/"):
            self.drx("check", one)
        self.assertEqual(self.drx("read", url + "/v[time=2,x=3:5]"), self.drx("read", "ds/v[time=2,x=3:5]"))
        self.assertEqual(self.drx("read", url + "/v", "--commit", 1), self.drx("read", "ds/v", "--commit", 1))
        self.drx("cp", url, "copied")
        self.assertEqual(self.drx("log", "copied"), self.drx("log", "ds"))
        self.drx("copy", url, "again")
        for name in ("copied", "again"):
            self.assertEqual(self.drx("read", name + "/v"), self.drx("read", "ds/v"))
        self.drx("export", url, "out.nc")
        self.fails(1, "info", url, "--at", 9, says="commit 9, expected 0 to")

    def test_references(self):
        """They name the URL, so that others read the chunks from the server, too."""
        self.make("raw", "raw")
        refs = json.loads(self.drx("refs", f"{self.url}/raw"))["refs"]
        urls = {ref[0] for key, ref in refs.items() if key.startswith("raw/") and not key.startswith("raw/.z")}
        self.assertEqual(urls, {f"{self.url}/raw.xta"})

    def test_verbs_that_write(self):
        self.make("raw", "raw")
        self.make_dataset()
        url = f"{self.url}/raw"
        for words in (("extend", url, "0", "1"), ("append", url, "0", "values.npy"),
                      ("prepend", url, "0", "values.npy"), ("trim", url, "0", "--after", "1"),
                      ("add-axis", url, "0", "z"), ("write", url, "--at", "0,0", "values.npy"), ("rm", url),
                      ("mv", url, "other"), ("mv", "raw", f"{self.url}/other"), ("cp", "raw", f"{self.url}/other"),
                      ("create", f"{self.url}/new", "--shape", "4"), ("compact", url), ("check", "--repair", url),
                      ("chmod", "go-r", url), ("import", "values.npy", f"{self.url}/new"),
                      ("import", "values.npy", url, "--append", "0"),
                      ("copy", "raw", f"{self.url}/new"), ("rm", f"{self.url}/ds"), ("mv", f"{self.url}/ds", "other"),
                      ("cp", "ds", f"{self.url}/other")):
            with self.subTest(words=words):
                before = sorted(os.listdir("."))
                result = self.run_drx(*words)
                self.assertEqual(result.returncode, 1, words)
                self.assertIn(self.url, result.stderr.decode())
                self.assertRegex(result.stderr.decode(), "on a server")
                self.assertNotIn("DRX_RDONLY", result.stderr.decode())
                self.assertEqual(result.stderr.decode().count(self.url), 1)
                self.assertEqual(sorted(os.listdir(".")), before)
        self.assert_same(self.whole("raw"), self.values)

    def test_what_is_not_there(self):
        self.fails(1, "info", f"{self.url}/none", says=f"{self.url}/none.xmd: the server has no such file")
        self.fails(1, "read", f"{self.url}/none[0]", says=f"{self.url}/none.xmd")
        self.fails(1, "log", f"{self.url}/none", says=f"{self.url}/none/dataset.xds: the server has no such file")
        self.fails(1, "export", f"{self.url}/none", "x.nc", says=f"{self.url}/none.xmd")
        self.server.close()
        self.fails(1, "info", f"{self.url}/none", says=f"{self.url}/none.xmd: reading 65536 bytes at offset 0: ")
