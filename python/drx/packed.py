"""How variables of xarray are compressed: what their encoding says, in the words of DRX, netCDF and Zarr.

==========  ========================================================================================================
DRX         compression, a codec of drx.create; level = 1 to 9; shuffle = "none", "byte" or "bit"; keep_bits
netCDF      zlib = True, or compression; complevel; shuffle = True or False; also zstd, blosc, bzip2, szip
h5netcdf    compression = "gzip", compression_opts
Zarr        compressor, an object of numcodecs
==========  ========================================================================================================

What is compressed by a method that DRX lacks is compressed by zstd.

A variable that was read from DRX has the words of netCDF if it is compressed by zlib, so that `to_netcdf` keeps it.
Other codecs are in `drx_compression`, which other formats do not read: they would refuse the codec, or need a plugin.
"""

from collections.abc import Mapping

import numpy as np

from drx import _core
from drx.rounding import keep_bits

OWN = "drx_compression"
KEEP_BITS = "keep_bits"
CHUNKS = "drx_chunks"  # that the caller gave: they go before those of dask
CHECKSUM = "drx_checksum"  # likewise
METHODS = ("zstd", "blosc", "bzip2", "szip")  # of netCDF, beside zlib; an entry is True, or has the parameters
KEYS = ("compression", "level", "shuffle", "zlib", "complevel", "compression_opts", "compressor", OWN) + METHODS
OTHER_KEYS = ("dtype", "scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units", "calendar",
              "_Encoding", "chunks", "chunksizes", "preferred_chunks", "checksum", "fletcher32")
SOURCE_KEYS = ("source", "original_shape", "char_dim_name", "cache_metadata", "write_empty_chunks")  # nothing to do
OFF_KEYS = ("contiguous", "filters", "least_significant_digit", "endian")  # what DRX does not have
BLOSC_SHUFFLES = ("none", "byte", "bit")


def given(ds, encoding):
    """A dataset of xarray whose variables have the encodings that the caller gave. ValueError: a wrong one."""
    if not encoding:
        return ds
    ds = ds.copy(deep=False)
    for name, entries in encoding.items():
        if name not in ds.variables:
            raise ValueError(f"encoding is for {name!r}, which is not a variable of the dataset")
        variable = ds.variables[name]
        check(name, entries)
        named = set(entries) & set(KEYS)
        kept = {key: value for key, value in variable.encoding.items() if key not in KEYS or not named}
        entries = dict(entries)
        chunks = entries.pop("chunks", None) or entries.pop("chunksizes", None)
        if entries.pop("checksum", False) or entries.pop("fletcher32", False):
            entries[CHECKSUM] = True
        if chunks is not None:
            chunks = (chunks,) * len(variable.dims) if isinstance(chunks, int) else chunks
            if len(chunks) != len(variable.dims):
                raise ValueError(f"variable {name!r}: chunks {chunks} has {len(chunks)} entries, expected "
                                 f"{len(variable.dims)}")
            entries[CHUNKS] = dict(zip(variable.dims, chunks))
        variable.encoding = {**kept, **entries}
    return ds


def check(name, entries):
    """ValueError unless an encoding that the caller gave can be carried out."""
    if not isinstance(entries, Mapping):
        raise ValueError(f"variable {name!r}: the encoding is {entries!r}, which must be castable to dict")
    unknown = [key for key, value in entries.items() if key not in KEYS + OTHER_KEYS + SOURCE_KEYS + (KEEP_BITS,)
               and (key not in OFF_KEYS or value not in (None, False, [], (), "native", "little"))]
    if unknown:
        raise ValueError(f"variable {name!r}: encoding has {unknown[0]!r}, expected compression, level, shuffle, "
                         f"keep_bits, {', '.join(OTHER_KEYS)}, or netCDF's zlib, complevel")
    compression = entries.get("compression")
    if isinstance(compression, str) and compression not in _core.CODECS + ("gzip", "raw"):
        raise ValueError(f"variable {name!r}: compression {compression!r}, expected one of {_core.CODECS} or None")
    try:
        _core.codec_of(of(entries))
    except (TypeError, ValueError) as error:
        raise type(error)(f"variable {name!r}: {error}") from None


def of(encoding):
    """(compression, level, shuffle), as drx.create takes them, of the encoding of a variable."""
    if encoding.get(OWN):
        return tuple(encoding[OWN])
    if encoding.get("compressor") is not None:
        return of_zarr(encoding["compressor"])
    name, level, shuffle = encoding.get("compression"), encoding.get("level"), encoding.get("shuffle")
    if level is None:
        level = encoding.get("complevel", encoding.get("compression_opts"))
        if level == 0 and (encoding.get("zlib") or name in ("zlib", "gzip")):  # netCDF's word for none
            return None, None, None
        level = int(np.clip(level, 1, 9)) if isinstance(level, (int, np.integer)) else None
    if not name:
        name = "zlib" if encoding.get("zlib") else next((one for one in METHODS if encoding.get(one)), None)
    if name == "blosc" and isinstance(encoding.get("blosc"), dict):
        name = str(encoding["blosc"].get("compressor", "")).replace("blosc_", "")
        shuffle = encoding["blosc"].get("shuffle", shuffle)
    if name in (None, "raw"):
        if "level" in encoding and "zlib" not in encoding:
            return None, level, shuffle if isinstance(shuffle, str) else None  # which drx.create refuses
        return None, None, None
    if not isinstance(shuffle, str) and shuffle is not None:
        shuffle = BLOSC_SHUFFLES[int(shuffle)]
    return codec_named(name), level, shuffle


def codec_named(name):
    """The codec of DRX that does what another program calls so."""
    name = str(name).lower()
    if name in _core.CODECS:
        return name
    return "zlib" if name in ("gzip", "deflate") else "lz4" if name in ("lzf", "snappy", "blosclz") else "zstd"


def of_zarr(compressor):
    """The same of an object of numcodecs."""
    name = getattr(compressor, "cname", None) or getattr(compressor, "codec_id", "")
    level = getattr(compressor, "clevel", getattr(compressor, "level", None))
    shuffle = getattr(compressor, "shuffle", None)
    if isinstance(name, bytes):
        name = name.decode()
    return (codec_named(name), int(np.clip(level, 1, 9)) if level is not None else None,
            BLOSC_SHUFFLES[shuffle] if shuffle in (0, 1, 2) else None)


def encoding_of(array):
    """What says it in the encoding of a variable that is read."""
    name, level, shuffle = array._codec()
    if name is None:
        return {CHECKSUM: True} if array.checksum else {}
    if name == "zlib":
        return {"zlib": True, "complevel": level, "shuffle": "bit" if shuffle == "bit" else shuffle == "byte"}
    return {OWN: (name, level, shuffle)}


def of_source(variable):
    """The entries of an encoding that are about compression."""
    return {key: variable.encoding[key] for key in KEYS + (KEEP_BITS, CHUNKS, CHECKSUM) if key in variable.encoding}


def rounded(variable, array):
    """The data of an encoded variable, rounded if its encoding says so."""
    bits = variable.encoding.get(KEEP_BITS)
    if bits is None:
        return variable.data
    skip = array.fill_value if variable.dtype.kind == "f" and "_FillValue" in array.attrs else None
    if variable.chunks:
        return variable.data.map_blocks(keep_bits, bits, skip, dtype=variable.dtype, meta=np.empty(0, variable.dtype))
    return keep_bits(variable.values, bits, skip)


def check_rounding(name, variable):
    """ValueError unless an encoded variable can be rounded as its encoding says."""
    bits = variable.encoding.get(KEEP_BITS)
    if bits is None:
        return
    try:
        keep_bits(np.empty(0, variable.dtype), bits)
    except (TypeError, ValueError) as error:
        raise ValueError(f"variable {name!r}: keep_bits {bits!r}: {error}") from None
