"""drx dap check: exports that fit together, and each way in which they do not."""

import copy
import json
import random
import time

from drx_cli import CliTest, write_file


def block(size, start, stop, grid=(1, 0), **more):
    return {"dist_type": "b", "size": size, "proc_grid_size": grid[0], "proc_grid_rank": grid[1], "start": start,
            "stop": stop, **more}


def cyclic(size, grid, block_size=None, **more):
    keys = {} if block_size is None else {"block_size": block_size}
    return {"dist_type": "c", "size": size, "proc_grid_size": grid[0], "proc_grid_rank": grid[1],
            "start": grid[1] * (block_size or 1), **keys, **more}


def unstructured(size, indices, grid=(1, 0), **more):
    return {"dist_type": "u", "size": size, "proc_grid_size": grid[0], "proc_grid_rank": grid[1], "indices": indices,
            **more}


def owned(axis):
    """The global indices in the buffer, by definition."""
    if axis["dist_type"] == "b":
        return range(axis["start"], axis["stop"])
    if axis["dist_type"] == "u":
        return axis["indices"]
    return [g for g in range(axis["size"])
            if g // axis.get("block_size", 1) % axis["proc_grid_size"] == axis["proc_grid_rank"]]


def export(*axes, extents=(), typestr="<f8"):
    """What one rank exports; `extents` of the axes that are {}."""
    left = list(extents)
    return {"__version__": "0.10.0", "dim_data": list(axes),
            "buffer": {"shape": [len(owned(axis)) if axis else left.pop(0) for axis in axes], "typestr": typestr}}


def ranks(*exports):
    return {str(rank): one for rank, one in enumerate(exports)}


def grid_2x3():
    """Padded periodic blocks over 2, cyclic in blocks of 2 over 3, and an undistributed axis."""
    return ranks(*(export(block(40, [0, 19][i], [21, 40][i], (2, i), padding=[1, 1], periodic=True),
                          cyclic(7, (3, j), 2), {}, extents=[9]) for i in range(2) for j in range(3)))


class DapTest(CliTest):
    def save(self, exports, name="exports.json"):
        write_file(name, exports if isinstance(exports, str) else json.dumps(exports))
        return name

    def good(self, exports):
        """The lines about the axes."""
        lines = self.drx("dap", "check", self.save(exports)).splitlines()
        self.assertRegex(lines[0], r"^exports\.json: good: ")
        return [line.strip() for line in lines[1:]]

    def wrong(self, exports, *says):
        error = self.fails(1, "dap", "check", self.save(exports), says=says)
        self.assertTrue(error.startswith("drx dap: exports.json: "), error)

    def changed(self, exports, rank, axis, **keys):
        """The same, except for some keys of one dictionary; None removes one."""
        result = copy.deepcopy(exports)
        for key, value in keys.items():
            if value is None:
                del result[str(rank)]["dim_data"][axis][key]
            else:
                result[str(rank)]["dim_data"][axis][key] = value
        return result


class Good(DapTest):
    def test_summary(self):
        self.assertEqual(self.drx("dap", "check", self.save(grid_2x3())), """\
exports.json: good: 6 ranks, grid 2 x 3 x 1, <f8
  axis 0: size 40 over 2, block, 20 each, boundary padding 1 and 1, communication padding 1, periodic
  axis 1: size 7 over 3, cyclic in blocks of 2, 2 to 3 each
  axis 2: size 9, undistributed
""")

    def test_paddings_of_the_text(self):
        paddings = [[4, 1], [1, 2], [2, 3], [3, 0]]
        self.assertEqual(self.good(ranks(*(
            export(block(40, 10 * r - (r > 0 and paddings[r][0]), 10 * r + 10 + (r < 3 and paddings[r][1]), (4, r),
                         padding=paddings[r])) for r in range(4)))),
            ["axis 0: size 40 over 4, block, 10 each, boundary padding 4 and 0, communication padding 1 to 3"])

    def test_defaults(self):
        self.assertEqual(self.good(ranks(*(export(cyclic(5, (2, r))) for r in range(2)))),
                         ["axis 0: size 5 over 2, cyclic, 2 to 3 each"])
        self.assertEqual(self.good(ranks(*(export(unstructured(4, [[7, -1], [2, 7]][r], (2, r))) for r in range(2)))),
                         ["axis 0: size 4 over 2, unstructured, 2 each"])
        self.assertEqual(self.good(ranks(export(unstructured(2, [7, -1], one_to_one=True)))),
                         ["axis 0: size 2, undistributed, in any order, one to one"])
        self.assertEqual(self.good(ranks(export())), [])
        self.assertEqual(self.good(ranks(export({}, extents=[0]))), ["axis 0: size 0, undistributed"])

    def test_corners(self):
        self.good(ranks(*(export(block(2, min(r, 2), min(r + 1, 2), (4, r))) for r in range(4))))  # empty sections
        self.good(ranks(*(export(block(0, 0, 0, (2, r))) for r in range(2))))
        self.good(ranks(*(export(cyclic(3, (4, r), 2)) for r in range(4))))  # starts beyond size
        self.good(ranks(*(export(cyclic(3, (4, r), 2, start=min(2 * r, 3))) for r in range(4))))  # clamped ones
        self.good(ranks(export(block(8, 0, 8, padding=[2, 3], periodic=True))))  # periodic on one process
        self.good(ranks(export({}, extents=[5]) | {"__version__": "0.9.3"}))
        self.good(ranks(export(block(5, 0, 5, color="red", other={"a": [1]}))))  # unknown keys are ignored
        self.good(ranks(export(cyclic(5, (1, 0), padding=[9, 9], stop="x"))))
        self.good(json.dumps(ranks(export(block(5, 0, 5, name="ä€" * 100000))), ensure_ascii=False))  # long text
        exports = grid_2x3()
        for rank in (0, 1, 2):
            exports[str(rank)]["dim_data"][0]["padding"] = [rank, 1]  # boundary padding may differ
        self.good(exports)
        one = export({}, extents=[5], typestr="<M8[ns]")
        one["buffer"]["strides"] = [8]
        self.good(ranks(one))

    def test_json(self):
        result = json.loads(self.drx("dap", "check", self.save(grid_2x3()), "--json"))
        self.assertEqual(result, [{
            "path": "exports.json", "verdict": "good", "failure": None, "ranks": 6, "typestr": "<f8", "axes": [
                {"dist_type": "b", "size": 40, "proc_grid_size": 2, "owned": [20, 20],
                 "form": "b 0 20 40 padding 1 1 1 periodic"},
                {"dist_type": "c", "size": 7, "proc_grid_size": 3, "owned": [2, 3], "form": "c 7 over 3 block 2"},
                {"dist_type": "b", "size": 9, "proc_grid_size": 1, "owned": [9, 9], "form": "{} 9"}]}])

    def test_standard_input(self):
        text = json.dumps(grid_2x3(), indent=3).encode() + b"\n\n"
        self.assertTrue(self.drx("dap", "check", "-", stdin=text).startswith("standard input: good: 6 ranks"))

    def test_random(self):
        """Exports made from lists of owners, in which each index has one."""
        seed = int(time.time())
        print("seed", seed)
        rng = random.Random(seed)
        for _ in range(30):
            axes, grid = [], []
            for _ in range(rng.randint(1, 3)):
                n = rng.randint(1, 3)
                grid.append(n)
                kind = rng.choice("bcu")
                if kind == "b":
                    ends = [0, *sorted(rng.randint(0, 20) for _ in range(n - 1)), 20]
                    axes.append([block(20, ends[r], ends[r + 1], (n, r)) for r in range(n)])
                elif kind == "c":
                    size, block_size = rng.randint(0, 20), rng.randint(1, 5)
                    axes.append([cyclic(size, (n, r), block_size) for r in range(n)])
                else:
                    indices = rng.sample(range(-50, 50), 12)
                    axes.append([unstructured(12, indices[r::n], (n, r), one_to_one=True) for r in range(n)])
            exports = [[]]
            for axis in axes:  # row-major: the last axis varies fastest
                exports = [[*before, one] for before in exports for one in axis]
            lines = self.good(ranks(*(export(*one) for one in exports)))
            self.assertEqual(len(lines), len(grid))


class Wrong(DapTest):
    def test_file(self):
        self.fails(1, "dap", "check", "nowhere.json", says=["nowhere.json: no such file"])
        self.fails(1, "dap", "check", ".", says=["cannot read: Is a directory"])
        for text in ("", " ", "{", '{"0": {', '{"0', '"0', "tru"):
            self.wrong(text, f"line 1, column {len(text) + 1}: unexpected end of data")
        self.wrong("\0", "line 1, column 1: unexpected end of data")
        self.wrong('{"0": 5}\0', "line 1, column 9: more text after the value")
        self.wrong('{"0":\n {"a" 1}}', "line 2, column 7: object property name separator")
        self.wrong('{"0": {}} {}', "line 1, column 11: more text after the value")
        self.wrong("null", "null instead of an object")
        self.wrong("5", "5, expected an object with an export for each rank")
        self.wrong("[1]", "[1], expected an object with an export for each rank")
        self.wrong("{}", "expected an object with an export for each rank")

    def test_ranks(self):
        two = ranks(*(export(block(4, 2 * r, 2 * r + 2, (2, r))) for r in range(2)))
        self.wrong({"0": two["0"], "2": two["1"]}, "rank 1: missing; 2 keys stand for the ranks 0 to 1")
        self.wrong({"0": two["0"], "01": two["1"]}, "rank 1: missing")
        self.wrong({"0": two["0"], "one": two["1"]}, 'key "one", expected a rank')
        self.wrong({"0": two["0"], "": two["1"]}, 'key "", expected a rank')
        self.wrong({"0": two["0"], "-1": two["1"]}, 'key "-1", expected a rank')
        self.wrong({"0": two["0"], "1": 5}, "rank 1: 5, expected an object")

    def test_three_keys(self):
        for key in ("__version__", "buffer", "dim_data"):
            one = export({}, extents=[3])
            del one[key]
            self.wrong(ranks(one), f"rank 0, {key}: missing")
        self.wrong(ranks(export({}, extents=[3]) | {"name": "x"}), "rank 0, name: unexpected")

    def test_version(self):
        for version in ("0.10", "0.10.0.0", "0.10.x", "", "0.10.", ".1.2", " 0.10.0", "0.10.0 ", 0.10, ["0.10.0"],
                        "4294967296.10.0"):
            self.wrong(ranks(export({}, extents=[3]) | {"__version__": version}), "rank 0, __version__: ",
                       'expected "major.minor.patch"')
        self.wrong(ranks(export({}, extents=[3]) | {"__version__": "1.0.0"}),
                   "rank 0, __version__: 1.0.0, expected 0.x.x")

    def test_buffer(self):
        for buffer, says in (([3], "buffer: [3], expected an object"), ({"typestr": "<f8"}, "buffer: shape is missing"),
                             ({"shape": [3]}, "buffer: typestr is missing"),
                             ({"shape": 3, "typestr": "<f8"}, "shape: 3, expected a list"),
                             ({"shape": [3.0], "typestr": "<f8"}, "shape: 3.0, expected a whole number"),
                             ({"shape": [-3], "typestr": "<f8"}, "axis 0, shape: less than 0"),
                             ({"shape": [3], "typestr": "f8"}, 'typestr: "f8", expected NumPy'),
                             ({"shape": [3], "typestr": "<f"}, 'typestr: "<f", expected NumPy'),
                             ({"shape": [3], "typestr": "<q8"}, 'typestr: "<q8", expected NumPy'),
                             ({"shape": [3], "typestr": "<f8x"}, 'typestr: "<f8x", expected NumPy'),
                             ({"shape": [3], "typestr": "<f9999999999"}, "expected NumPy"),
                             ({"shape": [3], "typestr": 8}, "typestr: 8, expected NumPy"),
                             ({"shape": [3], "typestr": "|V0"}, "itemsize: 0 bytes"),
                             ({"shape": [2 ** 62], "typestr": "<f8"}, "shape: the bytes of the section"),
                             ({"shape": [2 ** 64], "typestr": "<f8"}, "shape: a number that does not fit in 64 bits")):
            self.wrong(ranks(export({}, extents=[3]) | {"buffer": buffer}), "rank 0, ", says)

    def test_dim_data(self):
        one = export({}, extents=[3])
        self.wrong(ranks(one | {"dim_data": {}}), "rank 0, dim_data: {}, expected a list of dictionaries")
        self.wrong(ranks(one | {"dim_data": []}), "rank 0, dim_data: 0 dictionaries, expected 1")
        self.wrong(ranks(one | {"dim_data": [{}, {}]}), "rank 0, dim_data: 2 dictionaries, expected 1")
        self.wrong(ranks(one | {"dim_data": [5]}), "rank 0, axis 0, dim_data: 5, expected a dictionary")

    def test_missing_keys(self):
        dictionaries = [block(3, 0, 3), cyclic(3, (1, 0), 1), unstructured(3, [5, 6, 7])]
        for dictionary in dictionaries:
            for key in dictionary:
                if key != "block_size":
                    exports = self.changed(ranks(export({}, dictionary, extents=[4])), 0, 1, **{key: None})
                    self.wrong(exports, f"rank 0, axis 1, {key}: missing")

    def test_types_of_values(self):
        exports = ranks(export(block(3, 0, 3, padding=[0, 0], periodic=False)))
        for value in (3.0, "3", True, [3]):
            for key in ("size", "proc_grid_size", "proc_grid_rank", "start", "stop"):
                self.wrong(self.changed(exports, 0, 0, **{key: value}), f"rank 0, axis 0, {key}: ", "a whole number")
        for value in (0, [0], [0, 0, 0], "00", [0, True], {"a": 1}):
            self.wrong(self.changed(exports, 0, 0, padding=value), "rank 0, axis 0, padding: ", "whole number")
        for value in (0, 1, "true", []):
            self.wrong(self.changed(exports, 0, 0, periodic=value), "axis 0, periodic: ", "expected true or false")
        for value in ("x", "bb", "", 5, "B"):
            self.wrong(self.changed(exports, 0, 0, dist_type=value), 'axis 0, dist_type: ', 'expected "b", "c" or "u"')
        for value in (2 ** 63, 2 ** 70, -2 ** 70):
            self.wrong(self.changed(exports, 0, 0, size=value), "axis 0, size: a number that does not fit in 64 bits")
        exports = ranks(export(unstructured(3, [5, 6, 7])))
        for value in (5, "567", [5, 6, 7.0], [[5, 6, 7]], {"0": 5}):
            self.wrong(self.changed(exports, 0, 0, indices=value), "axis 0, indices: ", "whole number")
        self.wrong(self.changed(exports, 0, 0, one_to_one=1), "axis 0, one_to_one: 1, expected true or false")
        exports = ranks(export(cyclic(3, (1, 0), 1)))
        self.wrong(self.changed(exports, 0, 0, block_size=1.5), "axis 0, block_size: 1.5, expected a whole number")

    def test_rules(self):
        """The library's, one of each kind; all of them are tested there."""
        exports = grid_2x3()
        self.wrong(self.changed(exports, 0, 0, stop=39), "rank 0, axis 0, shape: 21, expected 39")
        self.wrong(self.changed(exports, 2, 1, block_size=0), "rank 2, axis 1, block_size: 0, expected at least 1")
        self.wrong(self.changed(exports, 4, 0, size=41), "rank 4, axis 0, stop: 40, expected 41")
        self.wrong(self.changed(exports, 4, 0, padding=[2, 1]), "rank 4, axis 0, padding: not as on rank 3")
        self.wrong(self.changed(exports, 5, 0, periodic=False), "rank 5, axis 0, periodic: false, expected true")
        self.wrong(ranks(exports["0"], exports["2"], exports["1"], *list(exports.values())[3:]),
                   "rank 1, axis 1, proc_grid_rank: 2, expected 1, since ranks are row-major")
        del exports["5"]
        self.wrong(exports, "proc_grid_size: their product is 6, expected 5, the number of ranks")
        self.wrong(ranks(export({}, extents=[3]), export({}, extents=[3])), "an undistributed array on 2 ranks")
        self.wrong(ranks(export(), export()), "a zero-dimensional array on 2 ranks")
        self.wrong(ranks(export(unstructured(2, [4], (2, 0), one_to_one=True)),
                         export(unstructured(2, [4], (2, 1), one_to_one=True))),
                   "rank 1, axis 0, indices: 4 is on grid rank 0, too, expected one_to_one")
        self.wrong(ranks(export(cyclic(4, (2, 0))), export(cyclic(4, (2, 1)), typestr="<f4")),
                   "rank 1, itemsize: 4 bytes")
        self.wrong(ranks(export(cyclic(4, (2, 0))), export(cyclic(4, (2, 1)), {}, extents=[1])),
                   "rank 1, dim_data: 2 axes, expected 1 as on rank 0")


class Several(DapTest):
    def test_files(self):
        self.save(grid_2x3(), "good.json")
        self.save(ranks(export({}, extents=[3]), export({}, extents=[3])), "wrong.json")
        self.assertEqual(self.drx("dap", "check", "good.json", "good.json").count("good.json: good"), 2)
        self.ends(1, "dap", "check", "wrong.json", "good.json", "none.json", out="good.json: good: 6 ranks",
                  err=["drx dap: wrong.json: ", "drx dap: none.json: "])
        text = self.ends(1, "dap", "check", "--json", "wrong.json", "good.json", err="drx dap: wrong.json: ")
        self.assertEqual([(one["path"], one["verdict"], bool(one["failure"])) for one in json.loads(text)],
                         [("wrong.json", "wrong", True), ("good.json", "good", False)])

    def test_usage(self):
        self.all_fail(2, "dap", cases={
            (): "check is missing", "check": "FILE is missing", ("verify", "x"): ["'verify'", "drx dap check FILE"],
            ("check", "x", "--yaml"): "--yaml"})

    def test_many_ranks(self):
        exports = ranks(*(export(block(900, 10 * i, 10 * i + 10, (90, i)), cyclic(100, (90, j))) for i in range(90)
                          for j in range(90)))
        self.assertEqual(self.good(exports), ["axis 0: size 900 over 90, block, 10 each",
                                              "axis 1: size 100 over 90, cyclic, 1 to 2 each"])
