"""Writing netCDF files with the netCDF library itself, for tests."""

import ctypes
import ctypes.util
import os

import numpy as np

CLASSIC, OFFSET64, CDF5, NETCDF4, NETCDF4_CLASSIC = 0, 0x200, 0x20, 0x1000, 0x1100
CHAR, STRING, INT = 2, 12, 4
TYPES = {"int8": 1, "int16": 3, "int32": 4, "float32": 5, "float64": 6, "uint8": 7, "uint16": 8, "uint32": 9,
         "int64": 10, "uint64": 11}
NAME = ctypes.util.find_library("netcdf")
LIBRARY = ctypes.CDLL(NAME) if NAME else None


class NcFile:
    """A new file; `file.root` is its root group."""

    def __init__(self, path, flags=NETCDF4):
        self.ncid = ctypes.c_int()
        call("nc_create", os.fsencode(path), flags, ctypes.byref(self.ncid))
        self.root = Group(self.ncid.value)

    def __enter__(self):
        return self.root

    def __exit__(self, *_):
        call("nc_close", self.ncid)


class Group:
    def __init__(self, number):
        self.number = number

    def group(self, name):
        number = ctypes.c_int()
        call("nc_def_grp", self.number, name.encode(), ctypes.byref(number))
        return Group(number.value)

    def dim(self, name, extent):
        number = ctypes.c_int()
        call("nc_def_dim", self.number, as_bytes(name), ctypes.c_size_t(extent), ctypes.byref(number))
        return number.value

    def var(self, name, kind, dims=()):
        """kind: the name of a type, or netCDF's number of one."""
        number = ctypes.c_int()
        call("nc_def_var", self.number, as_bytes(name), TYPES.get(kind, kind), len(dims),
             (ctypes.c_int * max(1, len(dims)))(*dims), ctypes.byref(number))
        return number.value

    def att(self, var, name, value):
        """value: a str is of type string, bytes of type char, a list of str several strings."""
        name = as_bytes(name)
        if isinstance(value, bytes):
            call("nc_put_att_text", self.number, var, name, ctypes.c_size_t(len(value)), value)
        elif isinstance(value, (str, list)):
            strings = [s.encode() for s in ([value] if isinstance(value, str) else value)]
            call("nc_put_att_string", self.number, var, name, ctypes.c_size_t(len(strings)),
                 (ctypes.c_char_p * max(1, len(strings)))(*strings))
        else:
            value = np.atleast_1d(value)
            call("nc_put_att", self.number, var, name, TYPES[value.dtype.name], ctypes.c_size_t(value.size),
                 np.ascontiguousarray(value).ctypes.data_as(ctypes.c_void_p))

    def att_raw(self, var, name, kind, value):
        call("nc_put_att", self.number, var, name.encode(), kind, ctypes.c_size_t(1),
             np.atleast_1d(value).ctypes.data_as(ctypes.c_void_p))

    def enum(self, name, members):
        """A new type; its number."""
        number = ctypes.c_int()
        call("nc_def_enum", self.number, INT, name.encode(), ctypes.byref(number))
        for key, value in members.items():
            call("nc_insert_enum", self.number, number, key.encode(), ctypes.byref(ctypes.c_int(value)))
        return number.value

    def no_fill(self):
        call("nc_set_fill", self.number, 0x100, ctypes.byref(ctypes.c_int()))

    def end_define(self):
        call("nc_enddef", self.number)

    def put(self, var, array):
        array = np.ascontiguousarray(array)
        size = ctypes.c_size_t * max(1, array.ndim)
        call("nc_put_vara", self.number, var, size(), size(*array.shape), array.ctypes.data_as(ctypes.c_void_p))

    def array(self, name, array, dims, **attributes):
        """A variable with those elements, and dimensions of those names (made if not there)."""
        numbers = []
        for dim, extent in zip(dims, array.shape):
            number = ctypes.c_int()
            if LIBRARY.nc_inq_dimid(self.number, as_bytes(dim), ctypes.byref(number)) != 0:
                number.value = self.dim(dim, extent)
            numbers.append(number.value)
        var = self.var(name, array.dtype.name, numbers)
        for key, value in attributes.items():
            self.att(var, key, value)
        LIBRARY.nc_enddef(self.number)
        self.put(var, array)
        LIBRARY.nc_redef(self.number)
        return var


def read(path, name, shape, dtype):
    """All elements of a variable."""
    ncid, var, array = ctypes.c_int(), ctypes.c_int(), np.empty(shape, dtype)
    call("nc_open", os.fsencode(path), 0, ctypes.byref(ncid))
    call("nc_inq_varid", ncid, as_bytes(name), ctypes.byref(var))
    call("nc_get_var", ncid, var, array.ctypes.data_as(ctypes.c_void_p))
    call("nc_close", ncid)
    return array


def as_bytes(name):
    return name if isinstance(name, bytes) else name.encode()


def call(name, *arguments):
    error = getattr(LIBRARY, name)(*arguments)
    if error:
        LIBRARY.nc_strerror.restype = ctypes.c_char_p
        raise OSError(f"{name}: {LIBRARY.nc_strerror(error).decode()}")
