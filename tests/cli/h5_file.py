"""Writing and reading HDF5 files with the HDF5 library itself, for tests."""

import ctypes
import ctypes.util
import os

import numpy as np


def load(*names):
    found = next(filter(None, map(ctypes.util.find_library, names)), None)
    return ctypes.CDLL(found) if found else None


LIBRARY = load("hdf5_serial", "hdf5")
HIGH_LEVEL = load("hdf5_serial_hl", "hdf5_hl")
Id = ctypes.c_int64
VARIABLE = ctypes.c_size_t(-1)


def call(name, *arguments, library=None):
    """Numbers are ids, unless ctypes says otherwise."""
    function = getattr(library or (HIGH_LEVEL if name.startswith("H5DS") else LIBRARY), name)
    function.restype = Id
    result = function(*(Id(a) if isinstance(a, int) else a for a in arguments))
    if name == "H5Tget_class":
        return result
    if result < 0 or (name[2] in "SDT" and result & 0xffffffff == 0xffffffff):
        raise OSError(name)
    return result


def known(name):
    """The id that the library keeps in a variable."""
    return Id.in_dll(LIBRARY, name + "_g").value


def sizes(numbers):
    return (ctypes.c_uint64 * max(1, len(numbers)))(*numbers)


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def h5_type(dtype):
    """That of the dtype, its byte order included; complex as h5py has it."""
    dtype = np.dtype(dtype)
    order = "BE" if dtype.str[0] == ">" else "LE"
    if dtype.kind == "c":
        pair = call("H5Tcreate", ctypes.c_int(6), ctypes.c_size_t(dtype.itemsize))
        part = h5_type(f"{dtype.str[0]}f{dtype.itemsize // 2}")
        for i, name in enumerate((b"r", b"i")):
            call("H5Tinsert", pair, name, ctypes.c_size_t(i * dtype.itemsize // 2), part)
        return pair
    if dtype.kind == "f" and dtype.itemsize == 2:
        half = call("H5Tcopy", known("H5T_IEEE_F32" + order))
        call("H5Tset_fields", half, *map(ctypes.c_size_t, (15, 10, 5, 0, 10)))
        call("H5Tset_size", half, ctypes.c_size_t(2))
        call("H5Tset_ebias", half, ctypes.c_size_t(15))
        return half
    if dtype.kind == "S":  # as h5py has them
        return string_type(dtype.itemsize, pad=1, utf8=False)
    if dtype.kind == "b":
        truth = call("H5Tenum_create", known("H5T_STD_I8LE"))
        for value, name in enumerate((b"FALSE", b"TRUE")):
            call("H5Tenum_insert", truth, name, ctypes.byref(ctypes.c_int8(value)))
        return truth
    return known({"i": "H5T_STD_I", "u": "H5T_STD_U", "f": "H5T_IEEE_F"}[dtype.kind] + f"{8 * dtype.itemsize}{order}")


def string_type(length=None, spaces=False, pad=0, utf8=True):
    """Of a fixed length, or without one of varying length; pad: 0 ends it by a NUL, 1 fills it up with them."""
    string = call("H5Tcopy", known("H5T_C_S1"))
    call("H5Tset_size", string, VARIABLE if length is None else ctypes.c_size_t(length))
    call("H5Tset_cset", string, ctypes.c_int(utf8))
    if spaces or pad:
        call("H5Tset_strpad", string, ctypes.c_int(2 if spaces else pad))
    return string


class H5File:
    def __init__(self, path, new=True):
        self.id = (call("H5Fcreate", os.fsencode(path), ctypes.c_uint(2), 0, 0) if new
                   else call("H5Fopen", os.fsencode(path), ctypes.c_uint(0), 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        call("H5Fclose", self.id)

    def group(self, name):
        call("H5Gclose", call("H5Gcreate2", self.id, name.encode(), 0, 0, 0))

    def dataset(self, name, array, chunk=None, deflate=None, fill=None, kind=None, ordered=False):
        """A new one with these elements; kind: a type of HDF5, of which nothing is written."""
        array = np.asarray(array)
        plist = call("H5Pcreate", known("H5P_CLS_DATASET_CREATE_ID"))
        if chunk:
            call("H5Pset_chunk", plist, ctypes.c_int(len(chunk)), sizes(chunk))
        if deflate:
            call("H5Pset_deflate", plist, ctypes.c_uint(deflate))
        if fill is not None:
            call("H5Pset_fill_value", plist, h5_type(array.dtype), pointer(np.array([fill], array.dtype)))
        if ordered:
            call("H5Pset_attr_creation_order", plist, ctypes.c_uint(3))
        space = (call("H5Screate_simple", ctypes.c_int(array.ndim), sizes(array.shape), None) if array.ndim
                 else call("H5Screate", ctypes.c_int(0)))
        own = h5_type(array.dtype) if kind is None else kind
        dataset = Dataset(call("H5Dcreate2", self.id, name.encode(), own, space, 0, plist, 0))
        if kind is None and array.size:
            call("H5Dwrite", dataset.id, own, 0, 0, 0, pointer(np.ascontiguousarray(array)))
        return dataset

    def open(self, name):
        return Dataset(call("H5Dopen2", self.id, name.encode(), 0))

    def att(self, name, value):
        Dataset(self.id).att(name, value)


class Dataset:
    """Closed with its file by `close`, which tests call before the file's."""

    def __init__(self, number):
        self.id = number

    def close(self):
        call("H5Dclose", self.id)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def put_att(self, name, kind, shape, data):
        """shape None: no elements at all."""
        space = (call("H5Screate", ctypes.c_int(2)) if shape is None else call("H5Screate", ctypes.c_int(0))
                 if not shape else call("H5Screate_simple", ctypes.c_int(len(shape)), sizes(shape), None))
        att = call("H5Acreate2", self.id, name if isinstance(name, bytes) else name.encode(), kind, space, 0, 0)
        if data is not None:
            call("H5Awrite", att, kind, data)
        call("H5Aclose", att)

    def att(self, name, value):
        """str: of varying length, bytes: of fixed length; lists of them; or numbers."""
        one = not isinstance(value, list)
        values = [value] if one else value
        if isinstance(values[0], str):
            strings = [v.encode() for v in values]
            self.put_att(name, string_type(), () if one else (len(values),), (ctypes.c_char_p * len(values))(*strings))
        elif isinstance(values[0], bytes):
            length = max(1, *map(len, values), 1)
            self.put_att(name, string_type(length), () if one else (len(values),),
                         b"".join(v.ljust(length, b"\0") for v in values))
        else:
            value = np.asarray(value)
            self.put_att(name, h5_type(value.dtype), value.shape, pointer(np.ascontiguousarray(value)))

    def scale(self, name=None):
        call("H5DSset_scale", self.id, None if name is None else name.encode())

    def attach(self, scale, axis):
        call("H5DSattach_scale", self.id, scale.id, ctypes.c_uint(axis))

    def label(self, axis, text):
        call("H5DSset_label", self.id, ctypes.c_uint(axis), text.encode())

    # ---- reading

    def read(self, dtype):
        """All elements."""
        space = call("H5Dget_space", self.id)
        shape = self.extent(space)
        array = np.zeros(shape, dtype)
        if array.size:
            call("H5Dread", self.id, h5_type(dtype), 0, 0, 0, pointer(array))
        return array

    @staticmethod
    def extent(space):
        ndim = call("H5Sget_simple_extent_ndims", space)
        shape = sizes([0] * ndim)
        call("H5Sget_simple_extent_dims", space, shape, None)
        return tuple(shape[:ndim])

    def has_type(self, dtype):
        return call("H5Tequal", call("H5Dget_type", self.id), h5_type(dtype)) & 0xff == 1

    def chunk(self):
        chunk = sizes([0] * 32)
        plist = call("H5Dget_create_plist", self.id)
        if call("H5Pget_layout", plist) & 0xff != 2:
            return None
        return tuple(chunk[:call("H5Pget_chunk", plist, ctypes.c_int(32), chunk) & 0xff])

    def fill(self, dtype):
        """None when nobody set it."""
        plist, defined, value = call("H5Dget_create_plist", self.id), ctypes.c_int(), np.zeros(1, dtype)
        call("H5Pfill_value_defined", plist, ctypes.byref(defined))
        call("H5Pget_fill_value", plist, h5_type(dtype), pointer(value))
        return value[0] if defined.value == 2 else None

    def stored_bytes(self):
        LIBRARY.H5Dget_storage_size.restype = ctypes.c_uint64
        return LIBRARY.H5Dget_storage_size(Id(self.id))

    def dim_label(self, axis):
        text = ctypes.create_string_buffer(1000)
        call("H5DSget_label", self.id, ctypes.c_uint(axis), text, ctypes.c_size_t(1000))
        return text.value.decode()

    def scales(self, axis):
        return call("H5DSget_num_scales", self.id, ctypes.c_uint(axis)) & 0xff

    def has_att(self, name):
        return call("H5Aexists", self.id, name.encode()) & 0xff == 1

    def text_att(self, name):
        """A string of varying length."""
        att = call("H5Aopen", self.id, name.encode(), 0)
        assert call("H5Tis_variable_str", call("H5Aget_type", att)) & 0xff == 1
        text = ctypes.c_char_p()
        call("H5Aread", att, call("H5Aget_type", att), ctypes.byref(text))
        return text.value.decode()

    def number_att(self, name, dtype):
        att = call("H5Aopen", self.id, name.encode(), 0)
        array = np.zeros(self.extent(call("H5Aget_space", att)), dtype)
        call("H5Aread", att, h5_type(dtype), pointer(array))
        return array


if LIBRARY is not None:
    call("H5open")
    LIBRARY.H5Eset_auto2(Id(0), None, None)
