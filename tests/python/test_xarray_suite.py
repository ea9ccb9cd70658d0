"""xarray's own tests of backends, of the installed package, of datasets that drx.save_dataset stores and the engine opens.

The adapters take the place of to_netcdf and of to_zarr, open_zarr. CANNOT names each test that cannot pass, with the reason:
another failure is an error, and so is a test of the list that passes."""

import contextlib
import importlib.metadata

import by_hand  # noqa: F401
import drx
import pytest
import xarray as xr

suite = pytest.importorskip("xarray.tests.test_backends")
VERSION = "999"  # as Debian 12 calls 2023.01.0, whose tests the list names
MESSAGE = "refused, too, by a message of its own"
GROUPS = "a dataset has no groups yet"
TEXTS = "texts have a fixed width, and are UTF-8; missing ones become empty, as in netCDF's characters"
ZARR = "of Zarr alone: its compressors, metadata or warnings"
SMALL = "chunks of a file of netCDF are not taken for an array so small"
CANNOT = {
    "test_write_store": "there is no data store of the kind that xarray keeps for its own formats",
    "test_roundtrip_None_variable": "a variable needs a name, which is that of its files",
    "test_invalid_dataarray_names_raise": MESSAGE,
    "test_encoding_kwarg": MESSAGE,
    "test_roundtrip_cftime_datetime_data": "times without units are stored in seconds, so that hours can follow days",
    "test_roundtrip_string_encoded_characters": TEXTS,
    "test_roundtrip_string_with_fill_value_nchar": TEXTS,
    "test_roundtrip_string_with_fill_value_vlen": TEXTS,
    "TestAsNetCDF.test_encoding_kwarg_fixed_width_string": TEXTS,
    "test_encoding_kwarg_vlen_string": TEXTS,
    "test_write_preexisting_override_metadata": "a variable that is replaced has its new attributes, as the test's own note wishes",
    "test_append_with_no_dims_raises": MESSAGE,
    "test_append_with_append_dim_not_set_raises": MESSAGE,
    "test_append_with_invalid_dim_raises": MESSAGE,
    "test_append_with_mode_not_a_raises": MESSAGE,
    "test_append_with_mode_rplus_fails": MESSAGE,
    "test_append_with_existing_encoding_raises": MESSAGE,
    "test_append_string_length_mismatch_raises": "longer texts are stored, but the times that the test appends are stored already",
    "test_non_existent_store": MESSAGE,
    "test_write_region_errors": MESSAGE,
    "test_attributes": MESSAGE,
    "test_refresh_from_disk": "a dataset is a folder, which the test copies as a file",
    "test_open_group": GROUPS, "test_open_subgroup": GROUPS, "test_write_groups": GROUPS, "test_group": GROUPS,
    "test_write_persistence_modes[group1]": GROUPS,
    "test_write_persistence_modes[None]": "mode 'w-' raises FileExistsError, as to_netcdf does, and not Zarr's error",
    "test_compression_encoding": SMALL, "test_keep_chunksizes_if_no_original_shape": SMALL,
    "test_encoding_kwarg_compression": "the engine names no fletcher32 of a compressed variable, which always has checksums",
    "test_read_non_consolidated_warning": ZARR, "test_compressor_encoding": ZARR, "test_hidden_zarr_keys": ZARR,
    "test_check_encoding_is_consistent_after_append": ZARR,
    "test_to_zarr_append_compute_false_roundtrip": "the test expects a warning about texts, which are known to be texts here",
    "test_chunk_encoding_with_dask": "blocks of dask are cut where chunks end, so none are refused",
}
ELSEWHERE = {f"TestAsNetCDF.test_{name}" for name in (
    "grid_mapping_and_bounds_are_not_coordinates_in_file", "open_encodings", "dump_and_open_encodings", "mask_and_scale",
    "0dimensional_variable", "read_variable_len_strings")} | {f"TestAsZarr.test_{name}" for name in (
        "grid_mapping_and_bounds_are_not_coordinates_in_file", "encoding_kwarg_fixed_width_string")}


def save(ds, path, mode="w", group=None, encoding=None, unlimited_dims=(), compute=True, append_dim=None, region=None, **_):
    calls.append("save")
    if group is not None:
        raise NotImplementedError("groups")
    return drx.save_dataset(ds, path, mode=mode, encoding=encoding or None, grows=unlimited_dims or (), compute=compute,
                            append_dim=append_dim, region=region)

def to_zarr(ds, store, mode=None, append_dim=None, region=None, **how):
    """Dataset.to_zarr, whose default mode is this."""
    mode = mode or ("w-" if append_dim is None and region is None else "a")
    return save(ds, store, mode, append_dim=append_dim, region=region, **how)

@contextlib.contextmanager
def opened(path, group=None, backend_kwargs=None, **how):
    calls.append("open")
    if group is not None:
        raise NotImplementedError("groups")
    with xr.open_dataset(path, engine="drx", **how) as ds:
        yield ds

def open_zarr(path, chunks="auto", consolidated=None, **how):
    return xr.open_dataset(path, engine="drx", chunks={} if chunks == "auto" else chunks, **how)

calls = []  # of what is tested, by one test


@pytest.fixture(autouse=True)
def expected(request):
    name, test = request.node.originalname, f"{request.cls.__name__}.{request.node.originalname}"
    reason = CANNOT.get(request.node.name) or CANNOT.get(test) or CANNOT.get(name)
    if test in ELSEWHERE:
        pytest.skip("it reads and writes no dataset of DRX")

    if importlib.metadata.version("xarray") != VERSION:
        pytest.skip(f"the list is that of xarray {VERSION}")
    if reason:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    calls.clear()
    yield
    assert calls or reason, f"{test} is for ELSEWHERE"

class TestAsNetCDF(suite.NetCDF4Base):
    engine = "drx"

    def save(self, dataset, path, **how):
        return save(dataset, path, **how)

    def open(self, path, **how):
        return opened(path, **how)

class TestAsZarr(suite.ZarrBase):
    engine = "drx"

    @pytest.fixture(autouse=True)
    def by_drx(self, monkeypatch):
        monkeypatch.setattr(xr.Dataset, "to_zarr", to_zarr)
        monkeypatch.setattr(xr, "open_zarr", open_zarr)
        monkeypatch.setattr(xr, "open_dataset", lambda path, engine=None, open_dataset=xr.open_dataset, **how: open_dataset(
            path, engine="drx" if engine == "zarr" else engine, **how))

    def create_store(self):
        raise NotImplementedError

    @contextlib.contextmanager
    def create_zarr_target(self):
        with suite.create_tmp_file(suffix="") as path:
            yield path

    def save(self, dataset, path, **how):
        return to_zarr(dataset, path, **how)

    def open(self, path, **how):
        return opened(path, **how)
