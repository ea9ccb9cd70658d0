"""How peers in Python are asked: the protocol of bench.h, five words a line on stdin, an answer of JSON on stdout."""

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
