"""Lone arrays of spec/vectors and spec/verdicts: the library and the reader of spec judge and read each alike. Called with the
path of the program drx."""
import vectors
from golden import Test, attempt, compile_program, judged, main, statuses


class Lone(Test):
    @classmethod
    def setUpClass(cls):
        cls.golden_status = compile_program("golden_status")

    def check(self, path):
        """The library says what the reader does."""
        found = judged(path)
        self.assertEqual(statuses(self.golden_status, [path]), [found])
        return found

    def test_vectors(self):
        found = set()
        for name in vectors.names("vectors", 1):
            with self.subTest(vector=name):
                path = vectors.unpacked(name, f"closed-{name}")[1]
                status, a = attempt(path)
                if a:
                    self.assert_map(a, path)
                    self.assert_info(a, path)
                    self.assert_elements(a, path)
                found.add(status)
                self.check(vectors.unpacked(name, f"opened-{name}")[1])
        self.assertEqual(found, {"DRX_OK", "DRX_EUNSUPPORTED", "DRX_EDAMAGED", "DRX_ENOENT"})

    def test_verdicts(self):
        """Records that are appended to a log."""
        for i, (base, case) in enumerate(vectors.verdicts(1)):
            with self.subTest(case["what"], base=base):
                path = vectors.unpacked_case(base, case, f"case-{i}")
                status, a = attempt(path)
                self.assertEqual("refused" if status == "DRX_EUNSUPPORTED" else a.store.log, case["verdict"])
                self.check(path)


main()
