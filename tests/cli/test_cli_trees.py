"""Random files of HDF5 with groups, scales, types and attributes of all kinds, imported whole: each variable has the
elements, dimensions and attributes that h5py reads. DRX_SEED repeats a run."""

import glob
import importlib.util
import os
import time

import numpy as np

from drx_cli import CliTest, need, names, read_file

need(importlib.util.find_spec("h5py"))

import h5py  # noqa: E402

SEED = int(os.environ.get("DRX_SEED", time.time()))
ENUM = h5py.enum_dtype({"clear": 0, "cloudy": 3, "größer": -2}, basetype="i2")
PAIR = np.dtype({"names": ["id", "at"], "formats": ["<i4", ("<f8", (2,))], "offsets": [0, 8], "itemsize": 24})
NESTED = np.dtype([("pair", PAIR), ("code", "S3"), ("z", "c8")])
DTYPES = ("i1", "<i2", ">i4", "<i8", "u1", ">u2", "<f4", ">f8", "<f2", "c8", "c16", "?", "S1", "S5", "V6", PAIR, NESTED, ENUM,
          ("<i4", (2, 3)), h5py.string_dtype())


def filled(random, dtype, shape):
    if h5py.check_string_dtype(dtype) is not None and dtype.kind == "O":
        words = np.array(["", "a", "größer", "two\nlines"], object)
        return np.array(words[random.integers(0, 4, shape)], object)
    raw = random.integers(0, 3 if dtype.kind in "b" else 100, (int(np.prod(shape)), dtype.itemsize), "u1")
    if dtype.kind == "b":
        raw %= 2
    if dtype.kind == "S":
        raw += 1
    return np.frombuffer(raw.tobytes(), dtype).reshape(shape).copy()


def leaves(data):
    """The bytes of all fields, without those between them."""
    return [leaf for name in data.dtype.names for leaf in leaves(data[name])] if data.dtype.names else [data.tobytes()]


class Trees(CliTest):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(SEED)
        self.made, self.dims, self.scales = {}, {}, {}

    def pick(self, of):
        return of[int(self.random.integers(len(of)))]

    def seen(self, group):
        """The scales of a group and of those above it, the nearest of each name."""
        found = {}
        for path, extent in self.scales.items():
            above, _, name = path.rpartition("/")
            if above == "" or group == above or group.startswith(above + "/"):
                if name not in found or len(path) > len(found[name][0]):
                    found[name] = (path, extent)
        return list(found.values())

    def add_dataset(self, file, path):
        group = path.rpartition("/")[0]
        ndim = int(self.random.integers(0, 4))
        axes = [self.pick(self.seen(group)) if self.seen(group) and self.random.random() < .6 else
                (None, int(self.random.integers(1, 5))) for _ in range(ndim)]
        kind = np.dtype(self.pick(DTYPES))
        shape = tuple(extent for _, extent in axes)
        dtype = kind.base if kind.shape else kind
        data = filled(self.random, dtype, shape + kind.shape)
        if kind.shape:
            space, of = h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR), h5py.h5t.py_create(kind)
            dataset = h5py.Dataset(h5py.h5d.create(file.id, path.encode(), of, space))
            dataset.id.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(data), of)
        else:
            options = {"chunks": tuple(max(1, n // 2) for n in shape), "compression": "gzip"} if shape and ndim % 2 else {}
            dataset = file.create_dataset(path, data=data, dtype=dtype, **options)
        for axis, (scale, _) in enumerate(axes):
            if scale:
                dataset.dims[axis].attach_scale(file[scale])
        for name, value in (("n", np.int16(7)), ("text", "größer"), ("list", np.arange(3.0))):
            if self.random.random() < .3:
                dataset.attrs[name] = value
        self.made[path] = data
        self.dims[path] = [scale for scale, _ in axes]

    def make(self):
        with h5py.File("in.h5", "w", track_order=bool(self.random.random() < .5)) as file:
            groups = [""]
            for i in range(int(self.random.integers(3, 25))):
                group = self.pick(groups)
                path = f"{group}/{'gdv'[i % 3]}{i}".lstrip("/")
                if i % 3 == 0 and group.count("/") < 2:
                    file.create_group(path).attrs["of"] = i
                    groups.append(path)
                elif i % 3 == 1:
                    self.scales[path] = int(self.random.integers(1, 5))
                    file[path] = np.arange(self.scales[path], dtype=self.pick(("i4", "f8")))
                    file[path].make_scale(path.rpartition("/")[2])
                    self.made[path] = file[path][...]
                    self.dims[path] = [path]
                else:
                    self.add_dataset(file, path)
        return groups

    def expect(self, ds, path):
        data, info = self.made[path], self.info(f"{ds}/{path}")
        got = self.whole(f"{ds}/{path}")
        if data.dtype == object:
            self.assertEqual([bytes(row).rstrip(b"\0").decode() for row in got.reshape(data.size, -1)], list(data.reshape(-1)), path)
        elif data.dtype.kind == "S" and data.dtype.itemsize == 1:
            self.assertEqual(got.tobytes(), data.tobytes(), path)
        else:
            self.assertEqual((got.dtype.newbyteorder("="), got.size), (data.dtype.newbyteorder("="), data.size), path)
            same = got.reshape(data.shape).astype(data.dtype)
            self.assertEqual(leaves(same), leaves(data), path)
        for name, scale in zip(info["dims"], self.dims[path]):
            if scale:
                self.assertEqual(name, scale.rpartition("/")[2], path)
        with h5py.File("in.h5") as file:
            for name in "n", "text", "list":
                if name in file[path].attrs:
                    value = file[path].attrs[name]
                    self.assertEqual(info["attrs"][name], value.tolist() if hasattr(value, "tolist") else value, path)

    def test_random(self):
        for number in range(30 if os.environ.get("DRX_TORTURE") == "1" else 6):
            with self.subTest(f"DRX_SEED={SEED}, file {number}"):
                self.made, self.dims, self.scales = {}, {}, {}
                groups = self.make()
                self.drx("import", "in.h5", "ds", "--dataset")
                for path in self.made:
                    self.expect("ds", path)
                self.assertEqual(sorted(path for path, _, _ in os.walk("ds")), sorted(f"ds/{group}".rstrip("/") for group in groups))
                self.drx("import", "in.h5", "again", "--dataset")  # bytes of no field do not come from memory
                for path in glob.glob("ds/**/*.xta", recursive=True):
                    self.assertEqual(read_file(path), read_file("again" + path[2:]), path)
                self.drx("rm", "again")
                self.drx("check", "ds")
                self.drx("copy", "ds", "again")
                for path in self.made:
                    self.expect("again", path)
                for name in "ds", "again":
                    self.drx("rm", name)
                self.assertEqual(names(), ["in.h5"])
