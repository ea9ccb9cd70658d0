#!/usr/bin/python3
"""Serves the peers of a module in Python: peer_server.py MODULE. The protocol is that of bench.h: five words a line on
stdin, an answer of JSON on stdout."""

import importlib
import json
import sys


class Declined(Exception):
    """The peer does not do this."""


def serve(perform):
    """perform(WORKLOAD, PEER, WORD, WORD, FOLDER) gives the members of the answer, or raises what is wrong."""
    for line in sys.stdin:
        words = line.rstrip("\n").split(" ", 4)
        try:
            answer = {"outcome": "done", **perform(*words)}
        except Declined:
            answer = {"outcome": "declined"}
        except Exception as error:  # whatever it is, the driver reports it
            answer = {"outcome": "failed", "error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"workload": words[0], **answer}), flush=True)


if __name__ == "__main__":
    import peer_server  # whose Declined the peers raise

    peer_server.serve(importlib.import_module(sys.argv[1]).perform)
