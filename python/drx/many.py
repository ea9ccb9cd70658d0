"""Reading many boxes. From a disk or a server they come many at a time."""

import math
from collections import deque
from itertools import groupby, islice

import numpy as np

from drx import places

FEW = 4  # boxes are read one by one to see whether they are in memory
MANY = 64  # boxes that are not looked at, while all are in memory
TOGETHER = 1024  # boxes that come many at a time before some are looked at again
LIST_ELEMENTS = 256  # boxes of up to this many are read as one list of elements, which the library reads in one go
PENDING = 32  # requests under way
LARGE_BYTES = 1 << 20  # a box of this many has many reads of its own under way


def read(array, boxes):
    """Read each box (memory, lo, count, step) into its memory, which has the shape `count`."""
    boxes = iter(boxes)
    if not array._many_at_once or array.compression is not None:
        read_in_turn(array, boxes)
        return
    far = places.is_url(str(array.path))
    if not far:
        read_in_memory(array, boxes)
    while group := list(islice(boxes, TOGETHER)):
        read_together(array, group)
        if not far:
            read_in_memory(array, boxes)


def read_in_turn(array, boxes):
    """Whether the file was read."""
    before = array._calls()
    for memory, lo, count, step in boxes:
        array._move(False, lo, count, step, memory)
    return array._calls() != before


def read_in_memory(array, boxes):
    """Read boxes one after the other until most are not in memory, or none is left."""
    n = FEW
    while group := list(islice(boxes, n)):
        n = MANY
        if read_in_turn(array, group):
            few = list(islice(boxes, FEW))
            if 2 * sum(read_in_turn(array, [box]) for box in few) >= len(few):
                return


def read_together(array, boxes):
    """A list of elements compares no checksums, which boxes may."""
    lists = not array.checksum
    small = [box for box in boxes if lists and math.prod(box[2]) <= LIST_ELEMENTS]
    large = [box for box in boxes if not lists or math.prod(box[2]) > LIST_ELEMENTS]
    if small:
        read_as_list(array, small)
    read_at_once(array, large)


def points_in(boxes):
    """The indices of the elements of boxes of one shape, each box in C order."""
    _, _, count, step = boxes[0]
    within = np.stack(np.unravel_index(np.arange(math.prod(count)), count), axis=1) * np.array(step, np.int64)
    return (np.array([lo for _, lo, _, _ in boxes], np.int64)[:, None] + within).reshape(-1, len(count))


def read_as_list(array, boxes):
    boxes = sorted(boxes, key=lambda box: box[2:])
    alike = [list(some) for _, some in groupby(boxes, key=lambda box: box[2:])]
    points = np.concatenate([points_in(some) for some in alike])
    values = np.empty(len(points), array.dtype)
    array._points(False, points, values)
    for some in alike:
        count = some[0][2]
        n = len(some) * math.prod(count)
        for (memory, *_), part in zip(some, values[:n].reshape(-1, *count)):
            memory[...] = part
        values = values[n:]


def read_at_once(array, boxes, large=LARGE_BYTES):
    """Read boxes of less than `large` bytes many at a time."""
    pending = deque()

    def end_first():
        request, came, memory = pending.popleft()
        request.wait()
        if came is not memory:
            memory[...] = came

    try:
        for memory, lo, count, step in boxes:
            if any(every > 1 for every in step) or memory.nbytes >= large:
                array._move(False, lo, count, step, memory)
                continue
            flags = memory.flags
            came = memory if flags.c_contiguous or flags.f_contiguous else np.empty(count, array.dtype)
            pending.append((array._begin(False, lo, count, came), came, memory))
            if len(pending) > PENDING:
                end_first()
        while pending:
            end_first()
    finally:
        for request, _, _ in pending:  # after an error
            request._finish()
