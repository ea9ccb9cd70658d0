"""libdrx-netcdf, by which netCDF-C reads DRX; see drx/netcdf.py."""

cdef extern from "drx_netcdf.h" nogil:
    int drx_netcdf_register()


def register():
    """As drx_netcdf_register."""
    return drx_netcdf_register()
