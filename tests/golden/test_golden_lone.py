"""Stores of spec/v2 that are lone arrays: the library and the reader of spec/v2 judge and read each alike. Called with the path of
the program drx."""
import glob
import json
import os

from golden import SOURCE, Test, attempt, compile_program, main, statuses, unpack_next

SPEC = os.path.join(SOURCE, "spec", "v2")


def lone(name):
    with open(os.path.join(SPEC, "vectors", name + ".json"), encoding="utf-8") as file:
        return json.load(file)["store"]["kind"] == 1


class Lone(Test):
    @classmethod
    def setUpClass(cls):
        cls.open_status = compile_program("open_status")
        names = sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(SPEC, "vectors", "*.json")))
        cls.names = list(filter(lone, names))

    def unpack(self, name, folder):
        os.makedirs(folder)
        return unpack_next(name, folder)[1]

    def check(self, path):
        """What the reader finds, and whether the library agrees."""
        status, a = attempt(path)
        opened, written = statuses(self.open_status, [path])[0]
        self.assertEqual(opened, status)
        if a is None:
            self.assertEqual(written, status)
            return status
        damaged = (a.log_report or "").startswith("damage") or bool(a.short())
        self.assertEqual(written, "DRX_EDAMAGED" if damaged else "DRX_EUNSUPPORTED" if a.unknown_open else "DRX_OK")
        return a

    def test_vectors(self):
        found = set()
        for name in self.names:
            with self.subTest(vector=name):
                path = self.unpack(name, f"closed-{name}")
                status, a = attempt(path)
                if a:
                    self.assert_map(a, path)
                    self.assert_info(a, path)
                    self.assert_elements(a, path)
                found.add(status)
                self.check(self.unpack(name, f"opened-{name}"))
        self.assertEqual(found, {"DRX_OK", "DRX_EUNSUPPORTED", "DRX_EDAMAGED", "DRX_ENOENT"})

    def test_verdicts(self):
        """Records that are appended to a log."""
        for path in glob.glob(os.path.join(SPEC, "verdicts", "*.json")):
            with open(path, encoding="utf-8") as file:
                told = json.load(file)
            for i, case in enumerate(told["cases"]) if lone(told["base"]) else ():
                with self.subTest(case["what"], base=told["base"]):
                    path = self.unpack(told["base"], f"{told['base']}-{i}")
                    with open(path + ".xmd", "ab") as file:
                        file.write(bytes.fromhex(case["bytes"]))
                    a = self.check(path)
                    self.assertEqual("refused" if a == "DRX_EUNSUPPORTED" else a.store.log, case["verdict"])


main()
