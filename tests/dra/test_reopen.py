#!/usr/bin/python3
"""Arrays that are used by one job after another, on as many ranks or, with the drop-in, on any other number.
Usage: test_reopen.py THEIRS OURS"""

import sys
import unittest

import dra_jobs

ACTIONS = ("write", "change", "read", "delete")
THEIRS, OURS = sys.argv[1:3]
del sys.argv[1:]


class Reopen(unittest.TestCase):
    def jobs(self, program, *ranks):
        folder = "-".join(map(str, ranks)) + ("ours" if program == OURS else "theirs")
        return [dra_jobs.results(n, program, action, folder=folder) for n, action in zip(ranks, ACTIONS)]

    def test_any_number(self):
        expected = self.jobs(THEIRS, 1, 1, 1, 1)
        self.assertEqual([len(lines) for lines in expected], [1, 2, 3, 3])
        self.assertEqual(self.jobs(THEIRS, 3, 3, 3, 3), expected)
        for ranks in ((1, 1, 1, 1), (4, 2, 1, 3), (2, 4, 8, 1), (1, 3, 2, 4)):
            self.assertEqual(self.jobs(OURS, *ranks), expected, ranks)


if __name__ == "__main__":
    unittest.main()
