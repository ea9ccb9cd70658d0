"""What the reader of spec tells of a dataset's last commit: a line for each group, dimension and variable, in the order of
their making: what it is, its path, its attribute "note" or 0, and its upper bound or element of index 0. Usage:
list_tree.py PATH"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["DRX_SOURCE"], "spec"))
from read_drx import read_elements  # noqa: E402
from store import DIMENSION, GROUP, Store, VARIABLE  # noqa: E402

STORE = Store(sys.argv[1])
STATE = STORE.now
for record in STORE.records:
    if record.kind not in (GROUP, DIMENSION, VARIABLE):
        continue
    it = (STATE.groups, STATE.dimensions, STATE.variables)[record.kind - GROUP][record.number]
    if it.removed:
        continue
    path = "/".join([*(STATE.groups[g].name for g in reversed([*STATE.above(it.group)]) if g), it.name])
    note = struct.unpack("<i", it.attributes["note"].values)[0] if "note" in it.attributes else 0
    worth = 0
    if record.kind == DIMENSION:
        worth = it.bounds[1]
    if record.kind == VARIABLE and not it.null:
        elements, lost = read_elements(STORE, record.number)
        assert not lost, lost
        worth = struct.unpack("<i", elements[tuple(slice(-l, None) for l, _ in it.map.bounds)].ravel()[:1].tobytes())[0]
    print(record.kind, path, note, worth)
