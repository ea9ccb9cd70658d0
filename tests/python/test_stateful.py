"""Random programs of create, extend, append, write, index, reopen, against NumPy; raw arrays and compressed ones."""

import os
import shutil
import tempfile

import by_hand  # noqa: F401
import drx
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

MOST = 4000  # elements


class Programs(RuleBasedStateMachine):
    """An array, and what NumPy says it holds."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.array = None

    def teardown(self):
        if self.array is not None:
            self.array.close()
        shutil.rmtree(self.folder)

    @initialize(shape=st.lists(st.integers(0, 6), min_size=1, max_size=4), data=st.data(),
                dtype=st.sampled_from(["int8", "uint16", "int64", "float32", "float64", "complex128"]))
    def create(self, shape, data, dtype):
        chunks = [data.draw(st.integers(1, 5)) for _ in shape]
        self.fill = data.draw(st.sampled_from([None, 0, 7]))
        self.array = drx.create(os.path.join(self.folder, "a"), shape, dtype, chunks=chunks, fill_value=self.fill,
                                order=data.draw(st.sampled_from("CF")), shell=data.draw(st.booleans()),
                                compression=data.draw(st.sampled_from([None, *drx.CODECS])))
        self.model = np.full(shape, self.fill or 0, dtype)
        self.mode = "r+"

    def grown(self, axis, by):
        shape = list(self.model.shape)
        shape[axis] += by
        model = np.full(shape, self.fill or 0, self.model.dtype)
        model[tuple(slice(n) for n in self.model.shape)] = self.model
        return model

    @precondition(lambda self: self.mode == "r+")
    @rule(data=st.data(), by=st.integers(0, 7))
    def extend(self, data, by):
        axis = data.draw(st.integers(-self.model.ndim, self.model.ndim - 1))
        model = self.grown(axis, by)
        if model.size <= MOST:
            self.array.extend(axis, by)
            self.model = model

    @precondition(lambda self: self.mode == "r+")
    @rule(data=st.data(), by=st.integers(0, 4), value=st.integers(0, 100))
    def append(self, data, by, value):
        axis = data.draw(st.integers(0, self.model.ndim - 1))
        model = self.grown(axis, by)
        if model.size > MOST:
            return
        slab = [slice(None)] * model.ndim
        slab[axis] = slice(model.shape[axis] - by, None)
        values = (np.arange(model[tuple(slab)].size) + value).reshape(model[tuple(slab)].shape)
        model[tuple(slab)] = values.astype(model.dtype)
        assert self.array.append(values.astype(model.dtype), axis) == model.shape
        self.model = model

    def key(self, data):
        key = []
        for n in self.model.shape:
            ends = st.integers(-n - 1, n + 1)
            key.append(data.draw(st.builds(slice, ends, ends, st.integers(-3, 3).filter(bool)) | (
                st.integers(-n, n - 1) if n else st.just(slice(None)))))
        return tuple(key)

    @precondition(lambda self: self.mode == "r+")
    @rule(data=st.data(), value=st.integers(0, 100))
    def write(self, data, value):
        key = self.key(data)
        values = (np.arange(self.model[key].size) + value).reshape(self.model[key].shape).astype(self.model.dtype)
        self.array[key] = values
        self.model[key] = values

    @rule(data=st.data())
    def index(self, data):
        key = self.key(data)
        np.testing.assert_array_equal(self.array[key], self.model[key])

    @rule(mode=st.sampled_from(["r", "r+"]))
    def reopen(self, mode):
        self.array.close()
        self.array = drx.open(os.path.join(self.folder, "a"), mode)
        self.mode = mode

    @rule()
    def sync(self):
        if self.mode == "r+":
            self.array.sync()
        else:
            self.array.refresh()

    @precondition(lambda self: self.mode == "r+")
    @rule()
    def compact(self):
        self.array.compact()

    @invariant()
    def same(self):
        if self.array is not None:
            assert self.array.shape == self.model.shape
            np.testing.assert_array_equal(self.array[...], self.model)


TestPrograms = Programs.TestCase
TestPrograms.settings = settings(stateful_step_count=30)
