"""Arrays of many processes and distributed arrays from Python; on some ranks: together.py FOLDER."""

import os
import random
import sys
import time

import drx
import drx.dap
import drx.mpi
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
folder = sys.argv[1]


def numbered(shape, dtype="float64"):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def fails(error, call, text=""):
    try:
        call()
    except error as raised:
        assert text in str(raised), raised
        return
    raise AssertionError(f"no {error.__name__}")


def block(n, r=rank, p=size, padding=0):
    """An even block of n."""
    lo, hi = n * r // p, n * (r + 1) // p
    before, after = padding if r > 0 else 0, padding if r < p - 1 else 0
    one = {"dist_type": "b", "size": n, "proc_grid_size": p, "proc_grid_rank": r, "start": lo - before,
           "stop": hi + after}
    return dict(one, padding=(before, after)) if padding else one


def whole(n):
    return {"dist_type": "b", "size": n, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": n}


def test_an_array_of_all():
    path = folder + "/a"
    values = numbered((12, 10))
    a = drx.create(path, (12, 10), chunks=(4, 3), dims=("y", "x"), attrs={"units": "m"}, comm=comm)
    fails(FileExistsError, lambda: drx.create(path, (12, 10), comm=comm))
    rows = slice(12 * rank // size, 12 * (rank + 1) // size)
    a.write_all((rows, slice(None)), values[rows])
    np.testing.assert_array_equal(a.read_all(), values)
    assert a.read_all(None) is None
    np.testing.assert_array_equal(a[::-1, 2:9:3], values[::-1, 2:9:3])
    if rank == 0:
        a[3, 3] = -1
    comm.Barrier()
    assert a[3, 3] == -1
    a.extend(1, 2)
    assert a.append(np.full((1, 12), 7.0)) == (13, 12)
    lo = 12 * rank // size
    n = 12 * (rank + 1) // size - lo
    assert a.append_all(0, 2, (13, lo), np.full((2, n), rank)) == (15, 12)
    owners = np.repeat(np.arange(size), np.diff([12 * r // size for r in range(size + 1)]))
    np.testing.assert_array_equal(a[12:], [[7] * 12, owners, owners])
    a.attrs["title"] = "all"
    a.dims = ("row", "column")
    fails(ValueError, lambda: a.resize((1, 1)), "shrink")
    a.sync()
    a.close()
    with drx.open(path, comm=comm) as b:
        assert b.shape == (15, 12) and b.attrs["title"] == "all" and b.dims == ("row", "column")
        fails(PermissionError, lambda: b.extend(0, 1))
    fails(FileNotFoundError, lambda: drx.open(folder + "/none", comm=comm))
    with drx.open(path, comm=comm) as b:
        fails(ValueError, lambda: b.distribute(grid=(2**32 + size, 1)), "grid")
    with drx.open(path, comm=comm) as b:  # the error of one rank is that of all
        fails(IndexError if rank == size - 1 else ValueError, lambda: b.read_all((99, 0) if rank == size - 1 else (0, 0)))
        assert b.read_all((0, 0) if rank == 0 else None) == (0 if rank == 0 else None)


def test_a_variable_in_a_group():
    if rank == 0:
        with drx.create_dataset(f"{folder}/ds") as ds:
            ds.add_group("ocean/deep")
            ds.add("ocean/deep/temp", ("time", "x"), (4, 6))[...] = numbered((4, 6))
    comm.Barrier()
    for mode in ("r", "a"):
        with drx.open(f"{folder}/ds/ocean/deep/temp", mode, comm=comm) as a:
            assert a.shape == (4, 6) and a.dims == ("time", "x")
            np.testing.assert_array_equal(a.read_all(), numbered((4, 6)))


def test_temporary():
    path = folder + "/t"
    for keep in (False, True):
        with drx.create(path, (4,), temporary=True, comm=comm) as a:
            a.write_all(..., np.arange(4.0))
            comm.Barrier()
            assert not os.path.exists(path + ".xmd")
            comm.Barrier()
            if keep:
                a.persist()
        comm.Barrier()
        assert os.path.exists(path + ".xmd") == keep
    with drx.open(path, comm=comm) as a:
        np.testing.assert_array_equal(a, np.arange(4.0))


def test_zones():
    path = folder + "/z"
    values = numbered((9, 14, 3), "int32")
    with drx.create(path, values.shape, "int32", chunks=(2, 3, 3), comm=comm) as a:
        a.write_all(... if rank == 0 else None, values)
        with a.distribute() as d:
            for key in ((...,), (slice(1, 8), 5), (-1, slice(2, 3), 1)):
                np.testing.assert_array_equal(d.get(key), values[key])
            d.sync()
            local = d.local
            index = np.ix_(*[np.arange(one["start"], one["stop"]) for one in d.dim_data])
            np.testing.assert_array_equal(local, values[index])
            local += 100
            d.sync()
            d.write(a)
            np.testing.assert_array_equal(a.read_all(), values + 100)
            fails(drx.BusyError, d.close)
            del local
        with a.distribute(block_chunks=(1, 2, 1), order="F", read=False) as d:
            assert not d.local.any() and (d.local.size == 0 or d.local.flags.f_contiguous)
            d.read(a)
            np.testing.assert_array_equal(d.get(), values + 100)
        with a.distribute(read=False) as d, a.distribute((size, 1, 1), read=False) as e:
            d.local[...] = 5
            writing = d.write_async(a)  # they take effect in this order
            reading = e.read_async(a)
            fails(drx.BusyError, d.close, "requests")
            reading.wait()
            writing.wait()
            assert reading.done() and (e.local == 5).all()
            reading.wait()
            assert all(e.owner([one.start for one in e.zone(r)]) == r for r in range(size)
                       if all(one.stop > one.start for one in e.zone(r)))
            fails(ValueError, lambda: e.zone(size), "rank")
            at_fault = (1, 0, 0) if rank == size - 1 else None
            reading = e.read_async(a, at_fault)
            fails((IndexError, ValueError, drx.MPIError, OSError), reading.wait)
    assert d.closed and "closed" in repr(d)
    fails(ValueError, lambda: d.get(), "closed")


def test_one_sided():
    with drx.mpi.zeros(comm, (block(7 * size), whole(5)), "int64") as d:
        fails(ValueError, lambda: d.acc(0, 1, alpha=0.5), "alpha is 0.5")
        fails(ValueError, lambda: d.acc(0, 1, alpha=[1, 2]), "alpha has 1 axes")
        d.acc(..., np.ones((7 * size, 5), int), alpha=rank + 1)
        d.sync()
        total = size * (size + 1) // 2
        np.testing.assert_array_equal(d.get(), np.full((7 * size, 5), total))
        d.sync()
        got = [d.fetch_add((0, 0), 2) for _ in range(50)]
        everything = np.sort(np.concatenate(comm.allgather(got)))
        np.testing.assert_array_equal(everything, total + 2 * np.arange(50 * size))
        neighbour = (rank + 1) % size
        d.put((slice(7 * neighbour + 1, 7 * neighbour + 3), slice(1, 4)), np.full((2, 3), rank).T.copy().T)
        d.scatter([7 * neighbour + 5], [4], values=-rank)
        d.sync()
        np.testing.assert_array_equal(d.local[1:3, 1:4], (rank - 1) % size)
        np.testing.assert_array_equal(d.gather(np.arange(size) * 7 + 5, [4]), -((np.arange(size) - 1) % size))
        assert [d.owner((7 * r, 0)) for r in range(size)] == list(range(size))
        fails(IndexError, lambda: d.get((7 * size, 0)), "axis 0")
        fails(IndexError, lambda: d.get((slice(None, None, 2), 0)), "step 1")
        d.sync()
    with drx.mpi.zeros(comm, (block(4 * size, padding=1), whole(3))) as d:
        d.local[...] = rank
        d.sync()
        if rank > 0:
            assert (d.local[0] == rank - 1).all()


def test_ghosts():
    """Each rank lists two indices of its own and the first one of the next rank, which the lower rank owns."""
    mine = np.array([2 * rank, 2 * rank + 1, (2 * rank + 2) % (2 * size + (size == 1))])
    some = {"dist_type": "u", "size": 3 * size, "proc_grid_size": size, "proc_grid_rank": rank, "indices": mine}
    with drx.mpi.zeros(comm, (some, whole(3)), "complex64") as d:
        d.local[...] = mine[:, None] + 1j
        d.sync_add()
        shared = (mine % 2 == 0) & (size > 1)
        np.testing.assert_array_equal(d.local, np.where(shared, 2, 1)[:, None] * np.repeat(mine[:, None] + 1j, 3, axis=1))
        d.local[...] = rank
        d.sync()
        owners = np.array([d.owner((i, 0)) for i in mine])
        np.testing.assert_array_equal(d.local, np.repeat(owners[:, None], 3, axis=1))


def test_redistribution():
    n = 6 * size
    cyclic = {"dist_type": "c", "size": n, "proc_grid_size": size, "proc_grid_rank": rank, "start": 2 * rank,
              "block_size": 2}
    some = {"dist_type": "u", "size": n, "proc_grid_size": size, "proc_grid_rank": rank,
            "indices": np.arange(rank, n, size), "one_to_one": True}
    with drx.mpi.zeros(comm, (block(n),)) as a, drx.mpi.zeros(comm, (cyclic,)) as b, drx.mpi.zeros(comm, (some,)) as c:
        a.local[...] = np.arange(n)[a.dim_data[0]["start"]:a.dim_data[0]["stop"]]
        a.redistribute(b)
        b.redistribute(c)
        np.testing.assert_array_equal(c.local, np.arange(rank, n, size))
        np.testing.assert_array_equal(b.get(), np.arange(n))


def test_indices_of_any_sign():
    """The indices of an unstructured axis are those that the ranks list; none counts from the end."""
    labels = np.arange(2 * size) * 3 - 7
    mine = labels[2 * rank:2 * rank + 2]
    some = {"dist_type": "u", "size": 2 * size, "proc_grid_size": size, "proc_grid_rank": rank, "indices": mine,
            "one_to_one": True}
    with drx.mpi.zeros(comm, (some, whole(3)), "int64") as d:
        d.local[...] = mine[:, None] * 10 + np.arange(3)
        d.sync()
        for i in labels:
            np.testing.assert_array_equal(d.get(i), i * 10 + np.arange(3))
            assert d.get((i, -1)) == i * 10 + 2 and d.owner((i, 0)) == (i + 7) // 6
        np.testing.assert_array_equal(d.get((slice(-7, -6), 1)), [-69])
        np.testing.assert_array_equal(d.gather(labels, [1]), labels * 10 + 1)
        for nobodys in (-5, -2, 6 * size):
            fails(IndexError, lambda: d.get((nobodys, 0)))
            fails(IndexError, lambda: d.owner((nobodys, 0)))
            fails(IndexError, lambda: d.gather([nobodys], [0]))
        d.sync()
        if rank == 0:
            d.put((-7, 0), 5)
            d.scatter([-4], [-1], values=6)
        d.sync()
        assert d.get((-7, 0)) == 5 and d.get((-4, 2)) == 6


def test_read_only_buffers():
    """They are imported and read, and nothing writes to them."""
    section = bytes(range(10 * rank, 10 * rank + 4))
    export = {"__version__": "0.10.0", "buffer": section, "dim_data": (block(4 * size),)}
    with drx.from_distarray(export, comm) as d:
        assert d.dtype == np.uint8
        np.testing.assert_array_equal(d.get(), [10 * r + i for r in range(size) for i in range(4)])
        fails((PermissionError, ValueError), lambda: d.put(4 * rank, 1))
        fails((PermissionError, ValueError), lambda: d.local.__setitem__(0, 1))
        with drx.mpi.zeros(comm, (block(4 * size),), "uint8") as other:
            fails((PermissionError, ValueError), lambda: other.redistribute(d))
        d.sync()
    assert section == bytes(range(10 * rank, 10 * rank + 4))


def test_no_axes():
    if size > 1:
        return
    one = np.array(7.0)
    with drx.from_distarray({"__version__": "0.10.0", "buffer": one, "dim_data": ()}, comm) as d:
        assert d.shape == () and d.get(()) == 7 and d.owner(()) == 0
        d.put((), 8)
        assert one == 8 and d.local == 8 and d.__distarray__()["dim_data"] == ()


def test_the_protocol():
    with drx.mpi.zeros(comm, (block(5 * size, padding=1), whole(4)), "complex64") as d:
        export = d.__distarray__()
        assert set(export) == {"__version__", "buffer", "dim_data"} and export["__version__"] == "0.10.0"
        assert isinstance(export["dim_data"], tuple) and type(export["dim_data"][0]["start"]) is int
        drx.dap.validate(export)
        exports = comm.gather(dict(export, buffer=np.array(export["buffer"])))
        if rank == 0:
            drx.dap.validate_set(exports)
        with drx.from_distarray(d, comm) as other:
            d.local[...] = rank + 1j
            d.sync()
            np.testing.assert_array_equal(other.local, d.local)
            assert other.dim_data == d.dim_data and other.dtype == d.dtype
            np.testing.assert_array_equal(other.get((5 * size - 1, slice(None))), [size - 1 + 1j] * 4)
            other.sync()
        capsule = d.__dap_c__()
        fails(drx.BusyError, d.close)
        del capsule, export, other
    swapped = {"__version__": "0.10.0", "buffer": np.zeros(5, ">f8"), "dim_data": (block(5 * size),)}
    drx.dap.validate(swapped)
    fails(NotImplementedError, lambda: drx.from_distarray(swapped, comm), ">d")
    wrong = dict(block(5 * size), size=5 * size + (rank == 0))
    fails(ValueError, lambda: drx.mpi.zeros(comm, (wrong,)))
    fails(ValueError, lambda: drx.mpi.zeros(comm, ({"dist_type": "b"},)), "size is missing")
    fails(TypeError, lambda: drx.from_distarray(5, comm))
    fails(TypeError, lambda: drx.open(folder + "/a", comm=5), "mpi4py")


def test_an_error_of_one_rank():
    """It is raised on all, and nobody waits for who has it."""
    only = rank == size - 1
    fails((ValueError, TypeError), lambda: drx.create(folder + "/e", (2,), attrs={"x": None if only else 1}, comm=comm))
    fails((ValueError, TypeError), lambda: drx.create(folder + "/e", (2.5 if only else 2,), comm=comm))
    comm.Barrier()
    assert not os.path.exists(folder + "/e.xmd")
    comm.Barrier()
    with drx.open(folder + "/e", "a", shape=(4, 3), comm=comm) as a:
        fails(ValueError, lambda: a.append(np.ones(2 if only else 3)), "fit axis 0")
        fails((ValueError, TypeError), lambda: a.append_all(0, 1, (4, 0), [[1j if only else 1, 2, 3]]))
        fails((ValueError, TypeError), lambda: a.append_all(0, 1, (4,) if only else (4, 0), [[1, 2, 3]]))
        assert a.shape == (4, 3)
        fails(TypeError, lambda: a.__reduce__(), "pickled")
    with drx.open(folder + "/e", "a", comm=comm) as a:
        assert a.shape == (4, 3)
    good = block(3 * size)
    fails(ValueError, lambda: drx.mpi.zeros(comm, (dict(good, dist_type="x") if only else good,)), "dist_type")
    with drx.mpi.zeros(comm, (good,)) as d:
        fails((ValueError, TypeError), lambda: drx.from_distarray(5 if only else d, comm))


# ---- random distributions, against lists of indices ------------------------------------------------------------------

def random_axis(rng, n, grid):
    """The descriptions of an axis for all grid ranks, and the indices that each holds, in their order in memory."""
    common = [{"dist_type": kind, "size": n, "proc_grid_size": grid, "proc_grid_rank": k}
              for kind in [rng.choice("bcu")] for k in range(grid)]
    if common[0]["dist_type"] == "b":
        ends = [0, *sorted(rng.choices(range(n + 1), k=grid - 1)), n]
        return ([dict(one, start=ends[k], stop=ends[k + 1]) for k, one in enumerate(common)],
                [list(range(ends[k], ends[k + 1])) for k in range(grid)])
    if common[0]["dist_type"] == "c":
        b = rng.randint(1, 4)
        return ([dict(one, start=k * b, block_size=b) for k, one in enumerate(common)],
                [[g for g in range(n) if g // b % grid == k] for k in range(grid)])
    lists = [[] for _ in range(grid)]
    for g in rng.sample(range(n), n):
        rng.choice(lists).append(g)
    return [dict(one, indices=np.array(lists[k], int), one_to_one=True) for k, one in enumerate(common)], lists


def random_distribution(rng, shape):
    """(dim_data of this rank, its indices along each axis, those of all ranks)."""
    grid, left = [], size
    for _ in shape[1:]:
        grid.append(rng.choice([p for p in range(1, left + 1) if left % p == 0]))
        left //= grid[-1]
    grid.append(left)
    axes = [random_axis(rng, n, p) for n, p in zip(shape, grid)]
    held = [[lists[k] for (_, lists), k in zip(axes, at)] for at in np.ndindex(*grid)]
    here = np.unravel_index(rank, grid)
    return tuple(dims[k] for (dims, _), k in zip(axes, here)), held[rank], held


def section_of(values, held):
    return values[np.ix_(*[np.array(one, int) for one in held])]


def test_random_distributions():
    seed = comm.bcast(int(os.environ.get("DRX_SEED", time.time_ns() % 10**9)))
    if rank == 0:
        print("DRX_SEED", seed, flush=True)
    rng = random.Random(seed)
    for number in range(25):
        shape = tuple(rng.randint(1, 9) for _ in range(rng.randint(1, 3)))
        values = numbered(shape, rng.choice(["int16", "float64", "complex64"])) + 1
        (dims, held, everyone), (dims2, held2, _) = random_distribution(rng, shape), random_distribution(rng, shape)
        orders = rng.choices("CF", k=2)
        chunks = tuple(rng.randint(1, 4) for _ in shape)
        index = tuple(rng.randrange(n) for n in shape)
        key = tuple(slice(*sorted(rng.choices(range(n + 1), k=2))) for n in shape)
        path = f"{folder}/random{number}"
        with drx.create(path, shape, values.dtype, chunks=chunks, comm=comm) as a, drx.mpi.zeros(
                comm, dims, values.dtype, orders[0]) as d, drx.mpi.zeros(comm, dims2, values.dtype, orders[1]) as e:
            d.local[...] = section_of(values, held)
            d.sync()
            np.testing.assert_array_equal(d.get(key), values[key])
            assert d.owner(index) == next(r for r, lists in enumerate(everyone) if all(
                g in one for g, one in zip(index, lists)))
            d.redistribute(e)
            np.testing.assert_array_equal(e.local, section_of(values, held2))
            e.local[...] = 0
            d.write(a)
            np.testing.assert_array_equal(a.read_all(), values)
            e.read(a)
            np.testing.assert_array_equal(e.local, section_of(values, held2))
            e.sync()
            if rank == 0:
                e.put(key, -values[key])
            e.sync()
            changed = values.copy()
            changed[key] *= -1
            np.testing.assert_array_equal(e.local, section_of(changed, held2))


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        comm.Barrier()
        if rank == 0:
            print("passed", name)
