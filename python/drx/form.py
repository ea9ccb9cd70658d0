"""How xarray's variables are stored where DRX has no type for them.

==================  ========================================  =====================================================
xarray              stored as                                 told by
==================  ========================================  =====================================================
no axis             one axis of extent 1                      attribute drx_form = "scalar"
text                uint8, UTF-8, a last axis for the bytes   attribute drx_form = "text" (after CF: _Encoding)
bool                int8                                      attribute dtype = "bool" (CF, by xarray)
datetime, timedelta int64 or float64                          attributes units, calendar (CF, by xarray)
other attributes    JSON text                                 attribute drx_json, the list of their names
attributes of all   those of the pair `_dataset`              its name
==================  ========================================  =====================================================
"""

import json

import numpy as np
import xarray as xr

DATASET = "_dataset"  # the pair that has the attributes of a dataset
FORM, JSON = "drx_form", "drx_json"


# ---- attributes -----------------------------------------------------------------------------------------------------

def is_plain(value):
    """Whether DRX stores an attribute as it is, and gives it back alike."""
    if isinstance(value, str):
        return "\0" not in value
    if isinstance(value, (bool, np.bool_, bytes, list, tuple)):
        return False
    array = np.asarray(value)
    return array.dtype.kind in "iufc" and array.ndim <= 1 and (array.ndim == 0 or array.size != 1)


def dumped_attributes(attrs):
    """Attributes that can all be stored."""
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
    """A NumPy value as JSON has it."""
    if isinstance(value, (np.ndarray, np.generic)):
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
    """(shape, names of the axes, attributes) of the variable that an array is."""
    attrs = loaded_attributes(attrs)
    dims = tuple(name or f"dim_{j}" for j, name in enumerate(array.dims))
    fill = array.fill_value
    if fill != 0 and fill == fill and "_FillValue" not in attrs:
        attrs["_FillValue"] = fill
    if attrs.get(FORM) == "scalar":
        attrs.pop(FORM)
        return (), (), attrs
    return array.shape, dims, attrs


def decoded(variable):
    """A variable whose bytes of text are text to xarray, too; what CF says is left to it."""
    if variable.attrs.get(FORM) != "text":
        return variable
    attrs = {name: value for name, value in variable.attrs.items() if name != FORM}
    return xr.Variable(variable.dims, variable.values.view("S1"), attrs, variable.encoding)


def encoded(name, variable, like=None):
    """What is stored for a variable: CF's form, of a type that DRX has.

    Parameters
    ----------
    like : mapping, optional
        Attributes of the stored variable that times are to be encoded like.
    """
    if variable.dtype.kind == "O" and not all(isinstance(item, (str, bytes)) for item in np.ravel(variable.values)):
        raise TypeError(f"variable {name!r} holds objects, expected numbers, text or times")
    variable = with_units_of(like, variable)
    if variable.dtype.kind in "OUS":
        return text_form(name, variable)
    variable = xr.conventions.encode_cf_variable(variable, name=name)
    if variable.dtype.kind not in "iufc":
        raise TypeError(f"variable {name!r} has dtype {variable.dtype}, which cannot be stored")
    return variable


def with_units_of(like, variable):
    """The variable, to be encoded in the units of one that is stored."""
    if not like:
        return variable
    variable = variable.copy(deep=False)
    wanted = {key: like[key] for key in ("units", "calendar", "scale_factor", "add_offset") if key in like}
    is_time = variable.dtype.kind in "mM"
    variable.encoding = {key: value for key, value in wanted.items() if is_time or key in ("scale_factor", "add_offset")}
    if "_FillValue" in like and variable.dtype.kind != "S":
        variable.encoding["_FillValue"] = like["_FillValue"]
    return variable


def text_form(name, variable):
    """Text as UTF-8 in uint8, padded with zeros on a last axis."""
    raw = np.array([item.encode() if isinstance(item, str) else item for item in np.ravel(variable.values)], "S")
    if any(b"\0" in item for item in raw):
        raise TypeError(f"variable {name!r}: text with a NUL cannot be stored")
    width = max(raw.dtype.itemsize, 1)
    data = raw.astype(f"S{width}").reshape(variable.shape + (1,)).view(np.uint8).reshape(variable.shape + (width,))
    attrs = dict(variable.attrs, **{FORM: "text", "_Encoding": "utf-8"})
    return xr.Variable(variable.dims + (f"{name}_bytes",), data, attrs)
