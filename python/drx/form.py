"""How variables of xarray are stored whose type DRX does not have.

==================  ========================================  =====================================================
xarray              stored as                                 marked by
==================  ========================================  =====================================================
no axis             one axis of extent 1                      attribute drx_form = "scalar"
text                uint8, UTF-8, a last axis for the bytes   attributes drx_form = "text", _Encoding = "utf-8"
bytes               uint8, a last axis for the bytes          attribute drx_form = "text"
bool                int8                                      attribute dtype = "bool" (CF, by xarray)
datetime, timedelta int64 or float64                          attributes units, calendar (CF, by xarray)
other attributes    JSON text                                 attribute drx_json, the list of their names
dataset attributes  attributes of the pair `_dataset`         its name
==================  ========================================  =====================================================
"""

import json
import os

import numpy as np
import xarray as xr

from drx._core import type_code

DATASET = "_dataset"  # the pair with the attributes of a dataset
FORM, JSON = "drx_form", "drx_json"


# ---- attributes -----------------------------------------------------------------------------------------------------

def is_plain(value):
    """Whether DRX stores and returns an attribute unchanged."""
    if isinstance(value, str):
        return "\0" not in value
    if isinstance(value, (bool, np.bool_, bytes, list, tuple)):
        return False
    array = np.asarray(value)
    return array.dtype.kind in "iufc" and array.ndim <= 1 and (array.ndim == 0 or array.size != 1)


def dumped_attributes(attrs):
    """The attributes in a form that DRX stores: others than plain ones as JSON."""
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


def loaded_attributes(attrs):
    """The inverse of `dumped_attributes`."""
    attrs = dict(attrs)
    for name in json.loads(attrs.pop(JSON, "[]")):
        attrs[name] = json.loads(attrs[name])
    return attrs


# ---- variables ------------------------------------------------------------------------------------------------------

def stored_dims(array, attrs):
    """(shape, names of the axes, attributes) of the variable that an array holds."""
    attrs = loaded_attributes(attrs)
    own = os.path.basename(array.path)
    dims = tuple(name or f"{own}_dim_{j}" for j, name in enumerate(array.dims))
    fill = array.fill_value
    if fill != 0 and fill == fill and "_FillValue" not in attrs:
        attrs["_FillValue"] = fill
    if attrs.get(FORM) == "scalar":
        attrs.pop(FORM)
        return (), (), attrs
    return array.shape, dims, attrs


def decoded(variable):
    """A variable with its text as characters, which xarray then decodes."""
    if variable.attrs.get(FORM) != "text":
        return variable
    attrs = {name: value for name, value in variable.attrs.items() if name != FORM}
    return xr.Variable(variable.dims, variable.values.view("S1"), attrs, variable.encoding)


def encoded(name, variable, like=None):
    """The variable that is stored: encoded by the CF conventions, of a type that DRX has.

    Parameters
    ----------
    like : (mapping, dtype), optional
        Attributes and type of a stored variable. Numbers and times are encoded like it.
    """
    if is_text(variable):
        return text_form(name, variable)
    if like is not None:
        variable = with_encoding_of(*like, variable)
    if variable.dtype.kind == "O":
        variable = xr.coding.times.CFDatetimeCoder().encode(variable, name)
    if variable.dtype.kind == "O":
        raise TypeError(f"variable {name!r} holds objects, expected numbers, text or times")
    variable = xr.conventions.encode_cf_variable(variable, name=name)
    try:
        type_code(variable.dtype)
    except TypeError as error:
        raise TypeError(f"variable {name!r}: {error}") from None
    return variable


def is_text(variable):
    """Whether it holds text or bytes."""
    return variable.dtype.kind in "US" or variable.dtype.kind == "O" and all(
        isinstance(item, (str, bytes)) for item in np.ravel(variable.values))


def is_time(variable):
    """Whether it holds times of any calendar."""
    return variable.dtype.kind in "mM" or variable.dtype.kind == "O" and not is_text(variable)


def with_encoding_of(attrs, dtype, variable):
    """The variable, which will be encoded like a stored one, except where its own attributes already say how."""
    variable = variable.copy(deep=False)
    keys = ("units", "calendar") if is_time(variable) else ("scale_factor", "add_offset")
    variable.encoding = {key: attrs[key] for key in (*keys, "_FillValue") if key in attrs and key not in variable.attrs}
    if variable.encoding and variable.dtype.kind == "f" and dtype.kind in "iu":
        variable.encoding["dtype"] = dtype
    return variable


def text_form(name, variable):
    """Text as UTF-8, or bytes, in uint8, padded with zeros along a last axis."""
    items = np.ravel(variable.values)
    raw = np.array([item.encode() if isinstance(item, str) else item for item in items], "S")
    if any(b"\0" in item for item in raw):
        raise TypeError(f"variable {name!r}: text with a NUL cannot be stored")
    width = max(raw.dtype.itemsize, 1)
    data = raw.astype(f"S{width}").reshape(variable.shape + (1,)).view(np.uint8).reshape(variable.shape + (width,))
    attrs = dict(variable.attrs, **{FORM: "text"})
    if not items.size or isinstance(items[0], str):
        attrs["_Encoding"] = "utf-8"
    return xr.Variable(variable.dims + (f"{name}_bytes",), data, attrs)


def padded(name, variable, width):
    """Text padded to `width` bytes, those of the stored text; ValueError: it is longer."""
    missing = width - variable.shape[-1]
    if missing < 0:
        raise ValueError(f"variable {name!r} has text of {variable.shape[-1]} bytes, stored are at most {width}")
    return variable.pad({variable.dims[-1]: (0, missing)}, constant_values=0)
