"""What an array does, and how it fails."""

import asyncio
import copy
import errno
import inspect
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest


def numbered(shape):
    return np.arange(np.prod(shape, dtype=int), dtype="float64").reshape(shape)


def test_what_it_is(path):
    with drx.create(path, (4, 6), "int16", chunks=(2, 3), dims=("y", None), fill_value=-1, order="F",
                    attrs={"units": "m", "levels": [1.5, 2.5], "n": np.uint8(3)}) as a:
        assert (a.shape, a.ndim, a.size, a.nbytes, len(a)) == ((4, 6), 2, 24, 48, 4)
        assert (a.dtype, a.chunks, a.nchunks, a.fill_value, a.order) == (np.int16, (2, 3), 4, -1, "F")
        assert a.dims == ("y", None) and a.path == path and a.mode == "r+"
        assert np.all(a[...] == -1)
        assert a.attrs["units"] == "m" and a.attrs["n"] == 3 and a.attrs["n"].dtype == np.uint8
        np.testing.assert_array_equal(a.attrs["levels"], [1.5, 2.5])
        a.extend(1, 3)
        a.resize((5, 9))
        assert a.history() == [(1, 3, (4, 9)), (0, 1, (5, 9))]
        assert a.info["chunks"] == 9 and a.info["history"][1] == {"axis": 0, "by": 1, "shape": (5, 9)}
        a.dims = ("row", "column")
        assert a.dims == ("row", "column")
        assert "(5, 9) int16" in repr(a) and "<svg" in a._repr_html_() and "row, column" in a._repr_html_()
    assert a.closed and "closed" in repr(a) and "closed" in a._repr_html_()
    a.close()
    with pytest.raises(ValueError, match="closed"):
        a[0]


def test_attributes(path):
    with drx.create(path, (1,)) as a:
        a.attrs.update(b=1.5, a="text", c=[1, 2])
        assert list(a.attrs) == ["b", "a", "c"] and len(a.attrs) == 3 and "a" in a.attrs
        del a.attrs["b"]
        with pytest.raises(KeyError):
            a.attrs["b"]
        with pytest.raises(KeyError):
            del a.attrs["b"]
        for wrong in (None, ["a", 1], {}, np.ones((2, 2)), np.array([["x"]])):
            with pytest.raises(TypeError, match="'a'"):
                a.attrs["a"] = wrong
        assert a.attrs["a"] == "text"
        for texts in (["one", "", "drei \u00fc\nvier"], ("x",), np.array(["a", "bc"])):
            a.attrs["list"] = texts
            assert a.attrs["list"] == list(texts) and a.attrs["a"] == "text"
        a.attrs["other"] = ["y"]
        assert a.attrs["drx_json"] == '["other"]'  # "list" is two lines
        del a.attrs["other"]
        a.attrs["list"] = '["plain"]'
        assert a.attrs["list"] == '["plain"]' and "drx_json" not in a.attrs
        del a.attrs["c"]
        for texts, text in (["a", "b"], "a\nb"), (["a"], '["a"]'), (["a\n", "b"], "a\n\x1eb"):
            a.attrs["k"] = texts
            a.attrs["k"] = text
            assert a.attrs["k"] == text and not {"drx.strings", "drx_json"} & {*a.attrs}
        a.attrs["drx_json"], a.attrs["k"] = '["k"]', '["a"]'
        assert a.attrs["k"] == '["a"]'
        for raw in {"drx_json": '["k"]', "k": '{"a": 1}'}, {"drx.strings": "1 k", "k": "one"}:
            a.attrs.update(raw)  # a copy of what is stored keeps its notes, in whatever order they come
            with drx.create(None, (1,), attrs=a.attrs) as b:
                assert dict(b.attrs) == dict(a.attrs) == {**a.attrs, **raw}
                for name, value in a.attrs.items():
                    b.attrs[name] = value
                assert list(b.attrs.items()) == list(a.attrs.items())
            a.attrs["k"] = raw["k"]
            assert not {*raw} - {"k"} & {*a.attrs}
        del a.attrs["k"]
        a.attrs["list"] = ["a", "b"]
    with drx.open(path) as a:
        assert dict(a.attrs) == {"a": "text", "list": ["a", "b"]}
        with pytest.raises(PermissionError):
            a.attrs["a"] = "other"


def test_modes(path):
    with pytest.raises(FileNotFoundError) as error:
        drx.open(path)
    assert error.value.errno == errno.ENOENT and path in str(error.value)
    with pytest.raises(FileNotFoundError):
        drx.open(path, "r+")
    with pytest.raises(ValueError, match="shape is missing"):
        drx.open(path, "a")
    with drx.open(path, "a", shape=(2,), dtype="int8") as a:
        a[...] = [1, 2]
        with pytest.raises(drx.BusyError) as error:
            drx.open(path, "r+")
        assert error.value.errno == errno.EBUSY and isinstance(error.value, OSError)
    with drx.open(path, "a", shape=(9,)) as a:
        assert a.shape == (2,)
    for mode in ("w-", "x"):
        with pytest.raises(FileExistsError):
            drx.open(path, mode, shape=(2,))
    with drx.open(path + ".xmd") as a:
        with pytest.raises(PermissionError):
            a[0] = 1
        with pytest.raises(PermissionError):
            a.extend(0, 1)
    with drx.open(path, "w", shape=(3,), dtype="int8") as a:
        np.testing.assert_array_equal(a, [0, 0, 0])
    with pytest.raises(ValueError, match="mode 'q'"):
        drx.open(path, "q")
    drx.remove(path)
    assert not os.path.exists(path + ".xmd")


def test_what_is_refused(path):
    for shape, kwargs, error, text in [
            ((2, 2), {"chunks": (2,)}, ValueError, "chunks has 1 entries, expected 2"),
            ((2,), {"dtype": "M8[s]"}, TypeError, "datetime64"), ((2,), {"dtype": "O"}, TypeError, "object"),
            ((2,), {"dims": ("a", "b")}, ValueError, "2 names, expected 1"), ((-1,), {}, ValueError, "axis 0"),
            ((2,), {"order": "K"}, ValueError, "order 'K'"), ((2,), {"chunks": (0,)}, ValueError, "0"),
            ((1,) * 33, {}, ValueError, "33 axes")]:
        with pytest.raises(error, match=text):
            drx.create(path, shape, **kwargs)
        assert not os.path.exists(path + ".xmd")
    with drx.create(path, (3, 4)) as a:
        with pytest.raises(ValueError, match="axis 0 cannot shrink from 3 to 2"):
            a.resize((2, 9))
        assert a.shape == (3, 4)
        with pytest.raises(ValueError, match=r"\(2, 3\), expected \(any, 4\)"):
            a.append(np.ones((2, 3)))
        with pytest.raises(ValueError):
            a[0] = np.ones(3)
        with pytest.raises(ValueError, match="axis 2"):
            a.extend(2, 1)
        with pytest.raises(OverflowError):
            a.extend(0, 2**62)
        with pytest.raises(TypeError, match="float64"):
            a.read(out=np.empty((3, 4), "f4"))
        with pytest.raises(ValueError, match=r"out has shape \(4, 3\), expected \(3, 4\)"):
            a.read(out=np.empty((4, 3)))
        assert a.shape == (3, 4) and not a[...].any()


@pytest.mark.parametrize("given, error, text", [
    ({"shape": (2.7,)}, TypeError, "shape, entry 0 is 2.7"), ({"shape": (2**70,)}, OverflowError, "entry 0"),
    ({"shape": ()}, ValueError, "ndim is 0"), ({"chunks": (2.5,)}, TypeError, "chunks, entry 0"),
    ({"fill_value": [1, 2]}, ValueError, "fill_value has 1 axes"), ({"fill_value": 300}, ValueError, "int8"),
    ({"fill_value": 1.5}, ValueError, "int8"), ({"fill_value": np.nan}, ValueError, "int8"),
    ({"fill_value": 1j}, TypeError, "int8"), ({"fill_value": "3"}, TypeError, "'3'"),
    ({"dims": ("a\0b",)}, ValueError, "NUL"), ({"attrs": {"x": None}}, TypeError, "'x'"),
    ({"attrs": {"": 1}}, TypeError, "name ''"), ({"attrs": {"x\0y": 1}}, TypeError, "NUL"),
    ({"attrs": {"x": np.longdouble(1)}}, TypeError, "'x'")])
def test_odd_arguments(path, given, error, text):
    with pytest.raises(error, match=text):
        drx.create(path, **{"shape": (2,), "dtype": "int8", **given})
    assert not os.path.exists(path + ".xmd")


def test_odd_arguments_of_an_open_array(path):
    with drx.create(path, np.int64(3), chunks=np.int32(2), dims="x", fill_value=np.float32(2)) as a:
        assert (a.shape, a.chunks, a.dims) == ((3,), (2,), ("x",))
        for call in (lambda: a.extend(0, 1.5), lambda: a.extend(0.7, 1), lambda: a.resize((9.5,)),
                     lambda: a.append([1.0], axis=0.5), lambda: a.chunk_address((0.5,)), lambda: a.chunk_index(0.5)):
            with pytest.raises(TypeError):
                call()
        for axis in (1, -2, 2**40):
            with pytest.raises(ValueError, match=f"axis {axis}"):
                a.append([1.0], axis=axis)
        with pytest.raises(UnicodeEncodeError):
            a.dims = ("\ud800",)
        with pytest.raises(ValueError, match="read-only"):
            a.read_async(out=read_only(3))
        assert a.shape == (3,) and a.dims == ("x",) and np.all(a[...] == 2)
    for call in (drx.open, drx.remove, lambda path: drx.create(path, (1,))):
        with pytest.raises(ValueError, match="NUL"):
            call(path + "\0" + "b")


def read_only(n):
    memory = np.zeros(n)
    memory.flags.writeable = False
    return memory


def test_append_converts(path):
    with drx.create(path, (0,), "int16") as a:
        for data in ([1.5], [1j], ["7"], [None], np.array(["2020"], "M8[D]"), 2.0):
            with pytest.raises(TypeError, match="int16"):
                a.append(data)
        assert a.shape == (0,)
        a.append([])
        a.append([True, 2])
        a.append(np.arange(3, 5, dtype=">u8"))
        a.append(5)
        np.testing.assert_array_equal(a, [1, 2, 3, 4, 5])
    with drx.create(None, (0,), "complex64") as a:
        a.append([1.5, 2])
        np.testing.assert_array_equal(a, [1.5, 2])


def test_pickle_and_copy(path):
    a = drx.create(path, (2, 3))
    a[...] = numbered((2, 3))
    for one in (a, drx.create(None, (2,))):
        with pytest.raises(TypeError, match="opened to read"):
            pickle.dumps(one)
        with pytest.raises(TypeError, match="opened to read"):
            copy.copy(one)
    a.close()
    with drx.open(os.path.relpath(path)) as a, pickle.loads(pickle.dumps(a)) as b:
        assert b.mode == "r" and os.path.isabs(b.path)
        np.testing.assert_array_equal(a, b)
    assert b.closed
    with pytest.raises(TypeError, match="closed"):
        pickle.dumps(b)


def test_as_numpy(path):
    with drx.create(path, (2, 3)) as a:
        assert np.asarray(a, dtype="int32").dtype == np.int32
        assert a.__array__(copy=True).shape == (2, 3)
        with pytest.raises(ValueError, match="without a copy"):
            a.__array__(copy=False)


def test_damage(path):
    drx.create(path, (3, 4)).close()
    with open(path + ".xmd", "r+b") as file:
        file.write(b"nonsense")
    with pytest.raises(drx.FormatError, match="a.xmd"):
        drx.open(path)


def test_append(path):
    with drx.create(path, (0, 3), "int32", chunks=(2, 2)) as a:
        assert a.append([[1, 2, 3]]) == (1, 3)
        assert a.append([4, 5, 6], axis=0) == (2, 3)
        assert a.append(np.asfortranarray([[7, 8, 9], [10, 11, 12]])) == (4, 3)
        assert a.append(np.arange(8)[::2], axis=-1) == (4, 4)
        np.testing.assert_array_equal(a, [[1, 2, 3, 0], [4, 5, 6, 2], [7, 8, 9, 4], [10, 11, 12, 6]])


def test_refresh(path):
    with drx.create(path, (2,)) as a, drx.open(path) as reader:
        a.append([5.0])
        assert reader.shape == (2,)
        reader.refresh()
        assert reader.shape == (3,) and reader[2] == 5


def test_compact(path):
    with drx.create(path, (1, 2), chunks=(4, 2)) as a, drx.open(path) as reader:
        for i in range(9):
            a.extend(0, 1)
            a.attrs["step"] = i
        before = os.path.getsize(path + ".xmd")
        a.compact()
        begin = 8192
        assert os.path.getsize(path + ".xmd") - begin < (before - begin) / 2
        assert a.history() == [(0, 9, (10, 2))] and a.attrs["step"] == 8
        reader.refresh()
        assert reader.shape == (10, 2) and reader.attrs["step"] == 8
        with pytest.raises(OSError):
            reader.compact()


def test_temporary(path):
    with drx.create(path, (2,), temporary=True) as a:
        assert not os.path.exists(path + ".xmd")
        a.persist()
    with drx.open(path) as a:
        assert a.shape == (2,)


def test_chunks_that_are_chosen(path):
    for shape, grows, chunk in (((5,), (), (512,)), ((5,), 0, (8192,)), ((3, 5), (), (15, 25)), ((3, 5), "t", (1638, 5)),
                                ((3, 5), -1, (3, 2730)), ((3, 5), ("t", 1), (69, 115)), ((0, 5), (), (26214, 5)),
                                ((365, 2), (), (365, 2)), ((12, 46, 72), (), (12, 46, 72))):
        dims = ["t", "x", "y"][:len(shape)]
        with drx.create(path, shape, dims=dims, grows=grows, overwrite=True) as a:
            assert a.chunks == chunk
    for grows, message in (2, "axis 2, expected -2 to 1"), (-3, "axis -3"), ("z", "no axis has the name 'z'"):
        with pytest.raises(ValueError, match=message):
            drx.create(path, (3, 5), dims=["t", "x"], grows=grows, overwrite=True)


def test_chunks_in_the_order_of_the_file(path):
    with drx.create(path, (3, 4), chunks=(2, 3)) as a:
        a.extend(0, 2)
        boxes = list(a.iter_chunks())
        assert boxes[0] == (slice(0, 2), slice(0, 3)) and boxes[-1] == (slice(4, 5), slice(3, 4))
        seen = np.zeros(a.shape, int)
        for box in boxes:
            seen[box] += 1
        assert np.all(seen == 1)
        assert a.chunk_address((2, 1)) == 5 and a.chunk_index(5) == (2, 1)
        with pytest.raises(IndexError):
            a.chunk_index(6)


def test_other_byte_order_and_unaligned(path):
    values = numbered((3, 4))
    with drx.create(path, (3, 4)) as a:
        a[...] = values.astype(">f8")
        np.testing.assert_array_equal(a, values)
        a[...] = np.frombuffer(b"x" + values.tobytes(), "u1")[1:].view("f8").reshape(3, 4) + 0
        record = np.zeros((3, 4), [("a", "u1"), ("b", "f8")])
        record["b"] = values * 2
        a[...] = record["b"]
        np.testing.assert_array_equal(a, values * 2)


# ---- asynchronous, threads, signals ---------------------------------------------------------------------------------

def test_close_tells_what_an_asynchronous_write_met(path):
    a = drx.create(path, (100, 100), chunks=(10, 10))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        a.write_async(..., np.ones((100, 100)))
        with pytest.raises(OSError, match="xta"):
            a.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert a.closed


def test_text_that_is_not_unicode(path):
    with drx.create(path, (1,)) as a:
        with pytest.raises(UnicodeEncodeError):
            a.attrs["x"] = "\udcff"
        assert "x" not in a.attrs


def test_asynchronous(path):
    values = numbered((50, 60))
    with drx.create(path, values.shape, chunks=(7, 9)) as a:
        request = a.write_async(..., values)
        assert request.wait() is values and request.done()
        out = np.empty((10, 60), order="F")
        assert a.read_async(slice(5, 15), out=out).wait() is out
        np.testing.assert_array_equal(out, values[5:15])

        async def both():
            return await asyncio.gather(a.read_async(slice(0, 25)), a.read_async(slice(25, None), order="F"))

        np.testing.assert_array_equal(np.concatenate(asyncio.run(both())), values)
        with pytest.raises(IndexError, match="step 1"):
            a.read_async(slice(None, None, 2))
        with pytest.raises(ValueError, match="contiguous"):
            a.read_async(out=np.empty((50, 120))[:, ::2])
        left = a.read_async()  # waited for by close
    np.testing.assert_array_equal(left.wait(), values)


def test_threads(path):
    """Readers beside a writer that grows the array."""
    with drx.create(path, (1, 64), "int64", chunks=(3, 8)) as a:
        stop, wrong = threading.Event(), []

        def read():
            while not stop.is_set():
                rows = a.shape[0]
                if not (a[:rows] == np.arange(rows)[:, None]).all():
                    wrong.append(rows)

        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        for row in range(1, 400):
            a.append(np.full(64, row))
        stop.set()
        for reader in readers:
            reader.join()
        assert not wrong


def test_append_beside_growth_of_another_axis(path):
    """A slab that no longer fits when its turn comes is refused, not read beyond its end."""
    with drx.create(path, (0, 1), "int8", chunks=(64, 64)) as a:
        def widen():
            for _ in range(300):
                a.extend(1, 1)

        thread = threading.Thread(target=widen)
        thread.start()
        while thread.is_alive():
            try:
                a.append(np.ones((1, a.shape[1]), "int8"))
            except ValueError as error:
                assert "expected (any" in str(error)
        thread.join()
        assert set(np.unique(a)) <= {0, 1}


def test_close_beside_other_threads(path):
    """They finish what they have begun, or hear that it is closed."""
    drx.create(path, (3000, 3000), chunks=(300, 300)).close()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    messages = []

    def until_closed(a, key):
        try:
            while True:
                a[key]
        except ValueError as error:
            messages.append(str(error))

    try:
        for _ in range(20):
            a = drx.open(path)
            threads = [threading.Thread(target=until_closed, args=(a, key)) for key in (..., (5, 5), (6, 6))]
            for thread in threads:
                thread.start()
            time.sleep(0.005)
            a.close()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert messages == ["the array is closed"] * 60


def test_requests_that_nobody_keeps(path):
    """The memory lives until the request is done, even if the collector takes it and the array at once."""
    program = f"""
import drx, gc, numpy as np
drx.create({path!r}, (3000, 3000), chunks=(200, 200)).close()
for _ in range(20):
    a = drx.open({path!r})
    a.read_async()
    del a
    gc.collect()
    np.ones((3000, 3000))
"""
    subprocess.run([sys.executable, "-c", program], timeout=60, check=True)


def test_close_waits_for_other_threads(path):
    with drx.create(path, (2000, 2000), chunks=(100, 100)) as a:
        a[...] = 1
    a = drx.open(path)
    sums = []
    readers = [threading.Thread(target=lambda: sums.append(a[...].sum())) for _ in range(4)]
    for reader in readers:
        reader.start()
    time.sleep(0.002)
    a.close()
    for reader in readers:
        reader.join()
    assert all(total == 4e6 for total in sums)  # those that came too late have raised, in their threads


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_ctrl_c_between_chunks(path):
    """SIGINT while a long read goes on: KeyboardInterrupt, and the array is usable."""
    program = f"""
import drx, numpy as np, os, signal, threading, time
drx._core.set_part_bytes(1 << 22)
a = drx.create({path!r}, (3000, 1000, 100), "float64", chunks=(100, 100, 100))
out = np.empty((300, 1000, 100))
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    while time.monotonic() < begun + 20:
        a.read(slice(0, 300), out=out)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begun < 5, a[0, 0, 0])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["interrupted", "True", "0.0"]
    assert signal.getsignal(signal.SIGINT) is not None


def test_checksum(tmp_path):
    path = tmp_path / "a"
    values = np.arange(600, dtype="int32").reshape(20, 30)
    with drx.create(path, values.shape, "int32", chunks=(8, 8), checksum=True) as a:
        assert a.checksum and a.info["checksum"]
        a[...] = values
        a.sync()
        np.testing.assert_array_equal(a[...], values)
    assert (tmp_path / "a.xcs").stat().st_size == 8 * 12
    data = bytearray((tmp_path / "a.xta").read_bytes())
    data[5 * 256 + 9] ^= 1
    (tmp_path / "a.xta").write_bytes(data)
    with drx.open(tmp_path / "a.xcs") as a:
        with pytest.raises(drx.ChecksumError, match="chunk 5, elements 8..15, 8..15"):
            a[...]
        np.testing.assert_array_equal(a[:8], values[:8])
    with drx.create(tmp_path / "plain", 3) as a:
        assert not a.checksum
    with pytest.raises(ValueError, match="CHECKSUM"):
        drx.create(None, 3, checksum=True)


def test_alignment_that_suits_the_file_system(path):
    block = os.stat(os.path.dirname(path)).st_blksize
    for chunk, align in (block, block), (block * 3 // 2, block // 2), (100, 8):
        with drx.create(path, 9, "int8", chunk, align="auto", overwrite=True):
            pass
        with drx.open(path) as a:
            assert a._describe()[3] == align
    with drx.create(None, 9, "int8", 4096, align="auto") as memory:
        assert memory._describe()[3] == 1
    for wrong in "fs", -1, -4096:
        with pytest.raises(ValueError, match="align .* expected a power of two, or 'auto'"):
            drx.create(path, 9, align=wrong, overwrite=True)


def test_what_python_users_look_for(path):
    assert {"save_dataset", "append_dataset", "zarr_store", "store", "open", "Array"} <= set(dir(drx))
    with drx.create(path, (0, 3), "float32", dims=("time", "x")) as a:
        assert list(inspect.signature(a.append).parameters) == ["data", "axis"]
        assert list(inspect.signature(drx.Array.extend).parameters) == ["self", "axis", "by", "before"]
        a.append([[1.5, 2.5, -1]], axis="time")
        a.flush()
        assert drx.open(path).astype("int16").tolist() == [[1, 2, -1]]
        with pytest.raises(TypeError):
            a.astype("int8", casting="safe")
        for key in ..., (0, 1), (slice(None), [0, 2]):
            with pytest.raises(TypeError, match="None is not an element"):
                a[key] = None
        assert a[...].tolist() == [[1.5, 2.5, -1]]
