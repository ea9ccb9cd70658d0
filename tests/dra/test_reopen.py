#!/usr/bin/python3
"""Arrays that are used by one job after another, on as many ranks or, with the drop-in, on any other number.
Usage: test_reopen.py THEIRS OURS"""

import os
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
        self.assertEqual([len(lines) for lines in expected], [2, 3, 4, 4])
        for ranks in ((4, 2, 1, 3), (2, 4, 8, 1), (1, 3, 2, 4)):
            self.assertEqual(self.jobs(OURS, *ranks), expected, ranks)

    def test_stored_by_the_other(self):
        """One file or several, whatever number of ranks wrote it; then they are replaced by a pair."""
        for wrote, reads in ((1, 3), (4, 2)):
            folder = f"by{wrote}"
            for action in ACTIONS[:2]:
                dra_jobs.run(wrote, THEIRS, action, folder=folder)
            expected = dra_jobs.results(wrote, THEIRS, "read", folder=folder)
            self.assertEqual(dra_jobs.results(reads, OURS, "read", folder=folder), expected, wrote)
            with self.assertRaisesRegex(dra_jobs.Failed, "NDRA_Write_section|DRA_Open"):
                dra_jobs.run(reads, OURS, "change", folder=folder)
            self.assertEqual(dra_jobs.results(wrote, THEIRS, "read", folder=folder), expected)
            dra_jobs.run(reads, OURS, "write", folder=folder)
            self.assertEqual(sorted(os.listdir(folder)), ["kept.xmd", "kept.xta"])


if __name__ == "__main__":
    unittest.main()
