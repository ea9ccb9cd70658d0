"""How variables of xarray are stored whose type DRX does not have.

==================  ========================================  =====================================================
xarray              stored as                                 marked by
==================  ========================================  =====================================================
no axis             one axis of extent 1                      no dimension in the dataset
text                uint8, UTF-8, a last axis for the bytes;  attributes drx_form = "text", _Encoding = "utf-8"
                    missing texts are empty, as in netCDF
bytes               uint8, a last axis for the bytes          attribute drx_form = "text"
fixed strings       themselves, if the encoding has such a
                    dtype ("S12", "U12")
datetime, timedelta int64 or float64                          attributes units, calendar (CF, by xarray)
other attributes    JSON text                                 attribute drx_json, the list of their names
==================  ========================================  =====================================================
"""

import json
import numbers
import os

import numpy as np
import pandas as pd
import xarray as xr
from xarray.coding.strings import CharacterArrayCoder, EncodedStringCoder
from xarray.coding.variables import lazy_elemwise_func

from drx import _cf, packed
from drx._core import fitting_strings, type_code
from drx.attributes import is_texts
from drx.notes import CHARACTERS, FORM, JSON, STRING, STRINGS, TEXTS, UNLIMITED, loaded_attributes, without_notes

__all__ = ["CHARACTERS", "FORM", "JSON", "STRING", "STRINGS", "TEXTS", "UNLIMITED", "loaded_attributes", "without_notes"]

MARKS = ("_FillValue", "missing_value")
SAVED = "; give another dtype, scale_factor, add_offset or _FillValue in `encoding`, or unpack=True"  # what would do for save_dataset
PACKED = {"scale_factor", "add_offset"}
PACKING = {*PACKED, "_Unsigned", *MARKS}


# ---- attributes -----------------------------------------------------------------------------------------------------

def is_plain(value):
    """Whether DRX stores and returns an attribute unchanged."""
    if isinstance(value, str):
        return "\0" not in value
    if not isinstance(value, (numbers.Number, np.generic, np.ndarray, bytes, list, tuple)):
        return False
    if isinstance(value, (bool, np.bool_, bytes, list, tuple)):
        return is_texts(value) and len(value) > 1 and not {"\0", "\x1e"} & set("".join(value))  # see drx.Attributes
    array = np.asarray(value)
    return array.dtype.kind in "iufc" and array.ndim <= 1 and (array.ndim == 0 or array.size != 1)


def dumped_attributes(attrs):
    """The attributes in a form that DRX stores: others than plain ones as JSON. Where CF has a number, a list of one is it."""
    def is_list_of_one(name, value):
        return name in PACKING and isinstance(value, (list, tuple, np.ndarray)) and np.size(value) == 1

    attrs = {name: np.ravel(value)[0] if is_list_of_one(name, value) else value for name, value in attrs.items()}
    stored = {str(name): value for name, value in attrs.items() if is_plain(value)}
    other = {str(name): value for name, value in attrs.items() if not is_plain(value)}
    for name, value in other.items():
        try:
            stored[name] = json.dumps(value, default=of_numpy)
        except TypeError as error:
            raise TypeError(f"attribute {name!r}: {error}") from None
    if other:
        stored[JSON] = json.dumps(list(other))
    return stored


def of_numpy(value):
    """A NumPy value for JSON."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufU":
        return value.tolist()
    raise TypeError(f"{value!r} cannot be stored")


# ---- variables ------------------------------------------------------------------------------------------------------

def stored_dims(array, attrs):
    """(shape, names of the axes, attributes) of the variable that an array holds."""
    attrs = without_notes(loaded_attributes(attrs))
    own = os.path.basename(array.path)
    dims = tuple(name or f"{own}_dim_{j}" for j, name in enumerate(array.dims))
    fill, mark = array.fill_value, attrs.get("_FillValue")
    if attrs.get(FORM) in TEXTS:
        attrs.update({"_FillValue": np.bytes_(np.uint8(mark).tobytes())} if isinstance(mark, np.integer) else {})
    elif array.dtype.kind not in "bSUV" and fill != 0 and fill == fill and "_FillValue" not in attrs:
        attrs.update({"_FillValue": fill} if fill_of(attrs, array.dtype) != fill else {})  # or missing_value says it
    in_dataset = getattr(array, "dataset", None) is not None  # where all axes have names, but those of scalars
    is_scalar = in_dataset and array.dims == (None,)
    return (() if is_scalar else array.shape), (() if is_scalar else dims), attrs


def fill_of(attrs, dtype):
    """The fill of an array that has only missing_value, as `drx import` has it; None: the usual one."""
    marks = np.ravel(attrs.get("missing_value", ()))[:1]
    has_one = marks.size and dtype.kind in "iuf" and not {"_FillValue", FORM} & {*attrs}
    return elements_of(marks, dtype, dtype) if has_one else None


def joins(arrays, dim):
    """Whether characters along an axis are texts, as xarray has it for netCDF: no variable has the name of the axis, and
    all that have the axis are characters with it last. That of the bytes of strings is none of netCDF's."""
    dims_of = getattr(arrays, "dims_of", lambda name: arrays[name].dims)
    return dim not in arrays and all(dims_of(name)[-1] == dim and {CHARACTERS, STRING} & {*arrays[name].attrs}
                                     for name in arrays if dim in dims_of(name))


def as_characters(values):
    return np.asarray(values).view("S1")


def decoded(variable, joined, joins):
    """A variable with its text, without the axis of the bytes; joined: so are characters along an axis that joins(axis)."""
    attrs = dict(variable.attrs)
    form = attrs.pop(FORM, None)
    if variable.dtype.kind == "V":  # of which xarray cannot mask any
        marks = {name: attrs.pop(name) for name in MARKS if name in attrs}
        return xr.Variable(variable.dims, variable._data, attrs, {**variable.encoding, **marks})
    if form not in TEXTS:
        return EncodedStringCoder().decode(variable) if joined and variable.dtype.kind == "S" else variable
    data = lazy_elemwise_func(variable._data, as_characters, np.dtype("S1"))
    variable = xr.Variable(variable.dims, data, attrs, {**variable.encoding, "dtype": np.dtype("S1")})
    if not joined and form != "text":
        return variable
    if variable.ndim and (form == "text" or joins(variable.dims[-1])):
        for key in ("chunks", "chunksizes", "original_shape"):
            variable.encoding[key] = variable.encoding[key][:-1]
        variable = CharacterArrayCoder().decode(variable)
    variable = EncodedStringCoder().decode(variable)
    if form == "text":  # of a width that is known, so that dask knows how large its blocks are
        del variable.encoding["dtype"], variable.encoding["char_dim_name"]
        values = variable.values
        variable = variable.copy(data=values.astype("U") if values.dtype.kind == "O" else values)
    return variable


def encoded(name, variable, as_new=False, stored=None):
    """The variable that is stored: encoded by the CF conventions, of a type that DRX has.

    Parameters
    ----------
    as_new : bool
        Times are encoded without loss, and numbers not packed, however they were stored where they come from.
    stored : drx.Array, optional
        Which the variable is added to.
    """
    mark, values = variable.encoding.get("_FillValue"), variable.values if variable.dtype.kind == "O" else None
    if values is not None and isinstance(mark, bytes):  # of characters; those that are missing are NaN
        mark = mark if stored is None else stored_dims(stored, dict(stored.attrs))[2].get("_FillValue", mark)
        variable = variable.copy(data=np.where(values != values, mark, values))
        variable.attrs["_FillValue"] = mark
    if variable.dtype.kind == "O":
        xr.conventions.ensure_not_multiindex(variable, name)
        variable = without_missing(variable, stored) if is_text(variable) else as_numbers(variable)
    if is_text(variable):
        fixed = fixed_strings(variable) if stored is None else stored.dtype
        single = stored is not None and CHARACTERS in stored.attrs and variable.dims == tuple(filter(None, stored.dims))
        if single or fixed is not None and fixed.kind in "SU":
            coding = variable.encoding.get("_Encoding") if stored is None else stored.attrs.get("_Encoding")
            found = as_fixed_strings(name, variable, np.dtype("S1") if single else fixed, coding)
            return found.copy(data=as_characters(found).view(np.uint8)) if single else found
        return text_form(name, variable)
    if as_new:
        kept = {key: variable.encoding[key] for key in ("preferred_chunks", "chunks", packed.KEEP_BITS)
                if key in variable.encoding}
        variable = variable.copy(deep=False)
        variable.encoding = kept
    if variable.dtype.kind == "b":  # which xarray would make int8
        return variable
    if is_time(variable) and not as_new and not {"units", "dtype"} & {*variable.encoding, *variable.attrs}:
        variable = in_fine_units(variable)
    variable = encoded_numbers(name, variable)
    try:
        type_code(variable.dtype)
    except TypeError as error:
        raise TypeError(f"variable {name!r}: {error}") from None
    return variable


def encoded_numbers(name, variable):
    """Numbers and times as their encoding says, with xarray's attributes. But xarray wraps what does not fit a narrow type,
    and rounds fractions: here such a number is a ValueError, as when it is appended."""
    for coder in (xr.coding.times.CFDatetimeCoder(), xr.coding.times.CFTimedeltaCoder()):
        variable = coder.encode(variable, name)
    if variable.dtype.kind == "O":
        raise TypeError(f"variable {name!r} holds objects, expected numbers, text or times")
    encoding, none = variable.encoding, xr.Variable("none", np.empty(0, variable.dtype), variable.attrs, variable.encoding)
    marks = {key: encoding[key] for key in MARKS if encoding.get(key) is not None}
    none.encoding = {**encoding, **dict.fromkeys(marks, 0)}  # xarray takes one number, and equal ones
    like = xr.conventions.encode_cf_variable(none, name=name)
    dtype = np.dtype(bool) if "dtype" in set(like.attrs) - set(variable.attrs) else like.dtype  # which xarray makes int8
    if dtype.kind not in "biuf" or dtype == variable.dtype and not PACKING & set(encoding):
        return xr.conventions.encode_cf_variable(variable, name=name)
    attrs = {key: value for key, value in like.attrs.items() if key != "dtype" or dtype.kind != "b"}
    if encoding.get("_Unsigned") is not None and dtype.kind in "iu":  # xarray leaves "false" out
        attrs["_Unsigned"] = encoding["_Unsigned"]
    for key, mark in marks.items():
        attrs[key] = elements_of(mark, dtype, _cf.Meaning(name, dtype, {**attrs, **dict.fromkeys(marks, 0)}).reads)
        if attrs[key] is None:
            raise ValueError(f"variable {name!r}: {key} {mark} is no {dtype}; give another one in `encoding`")
    fill = np.ravel(attrs.get(next(iter(marks), "_FillValue")))[:1]
    keys = PACKING | ({"units", "calendar"} if " since " in str(attrs.get("units")) else set())
    stored, given = ({key: of[key] for key in keys & set(of)} for of in ({**attrs, "_FillValue": fill}, variable.attrs))
    pair = _cf.Meaning(name, dtype, stored), _cf.Meaning(name, variable.dtype, given)
    return xr.Variable(variable.dims, stored_like(variable, pair, SAVED).data, attrs, like.encoding)


def unpacked(ds):
    """A dataset of xarray whose packed variables, by their attributes or encodings, are going to be stored as floats."""
    variables = {}
    for name, variable in ds.variables.items():
        if PACKED & {*variable.attrs}:
            variable = xr.conventions.decode_cf_variable(name, variable, decode_times=False, decode_timedelta=False,
                                                         concat_characters=False, stack_char_dim=False)
        encoding = variable.encoding
        if PACKED & {*encoding}:
            variables[name] = variable = variable.copy(deep=False)
            variable.encoding = {key: value for key, value in encoding.items() if key not in PACKING | {"dtype"}}
            for key in ("valid_min", "valid_max", "valid_range"):  # of packed numbers, if they are integers
                bounds = np.asarray(variable.attrs.get(key, ""))
                if bounds.dtype.kind in "iu":
                    bounds = bounds * encoding.get("scale_factor", 1) + encoding.get("add_offset", 0)
                    variable.attrs[key] = bounds.astype(variable.dtype)[()]
    return ds.assign(variables)


def elements_of(mark, dtype, reads):
    """A mark of missing numbers, or a list of them, as elements; a text is the number that it says. None: it is no element."""
    numbers = np.asarray(mark)
    try:
        numbers = numbers if numbers.dtype.kind in "biuf" else numbers.astype(float)
    except (TypeError, ValueError):
        return None
    with np.errstate(all="ignore"):
        elements = numbers.astype(dtype)
    if dtype.kind in "iu" and not ((elements == numbers) | (elements.view(reads) == numbers)).all():
        return None
    return elements.reshape(() if elements.size == 1 else -1)[()]


def stored_like(variable, pair, hint="", exact=False):
    """The variable with its numbers as they are stored; blocks of dask are converted when they are computed.
    ValueError, with `hint`: the type cannot hold one; exact: see `_cf.encode`."""
    if pair is None or pair[0].key == pair[1].key and pair[0].dtype == pair[1].dtype:
        return variable
    stored, given = pair
    if variable.chunks:
        meta = np.empty(0, stored.dtype)
        data = variable.data.map_blocks(_cf.encode, given, stored, hint, exact, dtype=stored.dtype, meta=meta)
    else:
        data = _cf.encode(variable.values, given, stored, hint, exact)
    return xr.Variable(variable.dims, data, variable.attrs, variable.encoding)


def as_numbers(variable):
    """Objects that are numbers, None or NaN, as numbers. Others, times among them, stay."""
    items = np.ravel(variable.values)
    if not all(isinstance(item, (numbers.Number, np.bool_, type(None))) for item in items):
        return variable
    return variable.copy(data=np.array(variable.values.tolist(), float if pd.isnull(items).any() else None))


def fixed_strings(variable):
    """The dtype of fixed strings that the encoding of a variable asks for; None: it asks for none. Files of netCDF, where text
    is characters, do not ask, nor does "S1" of texts, by which xarray means these."""
    dtype = variable.encoding.get("dtype")
    if not isinstance(dtype, (str, np.dtype)) or "char_dim_name" in variable.encoding or "_FillValue" in variable.attrs:
        return None
    dtype = np.dtype(dtype)
    if dtype == "S1" and variable.dtype != dtype:
        return None
    return dtype if dtype.kind in "SU" and dtype.itemsize else None


def as_fixed_strings(name, variable, dtype, coding):
    """Text or bytes as elements of fixed strings; text becomes bytes where `coding` says how. ValueError: one is longer;
    TypeError: text for bytes."""
    values, attrs = variable.values, dict(variable.attrs)
    if dtype.kind == "S" and coding is not None and (values.dtype.kind == "U" or values.dtype.kind == "O"):
        values, attrs["_Encoding"] = np.char.encode(values.astype("U"), coding), coding
    try:
        values = fitting_strings(values, dtype)
    except (TypeError, ValueError) as error:
        raise type(error)(f"variable {name!r}: {error}") from None
    return xr.Variable(variable.dims, values, attrs, packed.of_source(variable))


def is_text(variable):
    """Whether it holds text or bytes; some may be missing (None, NaN)."""
    if variable.dtype.kind != "O":
        return variable.dtype.kind in "US"
    items = np.ravel(variable.values)
    return all(isinstance(item, (str, bytes)) for item in items[~pd.isnull(items)])


def without_missing(variable, stored):
    """Texts with empty ones for those that are missing, as xarray stores them in netCDF. Where all are missing they are
    text if the stored ones are, and else numbers, NaN."""
    items = np.ravel(variable.values)
    missing = pd.isnull(items)
    if missing.any() and missing.all() and (stored is None or stored.dtype.kind == "f"):
        return variable.astype(float)
    is_str = (isinstance(items[~missing][0], str) if not missing.all() else
              stored is None or stored.dtype.kind == "U" or "_Encoding" in without_notes(stored.attrs))
    return variable.copy(data=np.where(missing, "" if is_str else b"", items).reshape(variable.shape))


def is_time(variable):
    """Whether it holds times of any calendar."""
    return variable.dtype.kind in "mM" or variable.dtype.kind == "O" and not is_text(variable)


def in_fine_units(variable):
    """Times whose units nobody has chosen, in seconds, or in less where they need it: whole days, which xarray chooses
    for a first step, could not go on in hours."""
    times = xr.coding.times
    if variable.dtype.kind == "O" and not times.contains_cftime_datetimes(variable):
        return variable
    infer = times.infer_timedelta_units if variable.dtype.kind == "m" else times.infer_datetime_units
    unit, *since = infer(variable.values).split(" ", 1)
    unit = "seconds" if unit in ("days", "hours", "minutes") else unit
    return variable._replace(encoding={**variable.encoding, "units": " ".join([unit, *since])})


def text_form(name, variable):
    """Text as UTF-8, or bytes, in uint8, padded with zeros along a last axis."""
    items = np.ravel(variable.values)
    raw = np.array([item.encode() if isinstance(item, str) else item for item in items], "S")
    if any(isinstance(item, str) and "\0" in item for item in items):
        raise TypeError(f"variable {name!r}: text with a NUL cannot be stored")
    width = max(raw.dtype.itemsize, 1)
    data = raw.astype(f"S{width}").reshape(variable.shape + (1,)).view(np.uint8).reshape(variable.shape + (width,))
    attrs = dict(variable.attrs, **{FORM: "text"})
    if isinstance(attrs.get("_FillValue"), bytes) and len(attrs["_FillValue"]) < 2:
        attrs["_FillValue"] = np.frombuffer(attrs["_FillValue"] or b"\0", np.uint8)[0]
    if not items.size or isinstance(items[0], str):
        attrs["_Encoding"] = "utf-8"
    return xr.Variable(variable.dims + (f"{name}_bytes",), data, attrs, packed.of_source(variable))


def as_bytes(variable):
    """Bools as xarray's conventions store them where there is no such type, and earlier versions of DRX did."""
    return xr.Variable(variable.dims, variable.data.astype(np.int8), {**variable.attrs, "dtype": "bool"}, variable.encoding)


def padded(name, variable, arrays, widen):
    """Text padded to as many bytes as the stored one of `arrays` has; ValueError: it is longer, and there is no `widen(axis, by)`,
    or others than texts have its axis."""
    width, axis = arrays[name].shape[-1], arrays[name].dims[-1]
    if not variable[..., width:].values.any():  # empty text has a byte, too
        variable = variable[..., :width]
    missing = width - variable.shape[-1]
    if missing < 0 and widen is not None and (axis == f"{name}_bytes" or joins(arrays, axis)):
        widen(axis, -missing)
        return variable
    if missing < 0:
        raise ValueError(f"variable {name!r} has text of {variable.shape[-1]} bytes, stored are at most {width}")
    return variable.pad({variable.dims[-1]: (0, missing)}, constant_values=0)
