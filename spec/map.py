"""The map of drx-format.md (6): bounds and growths give each chunk an address."""
import math

from payload import impossible

LEAST, MOST = -(1 << 62), (1 << 63) - 1


class Map:
    """`records` are the expansion records (axis, high, N, M, C, L), in the order in which they were made."""

    def __init__(self, bounds, chunk, order, bytes_each):
        """`bytes_each` is P of 6.4."""
        self.bounds, self.chunk = [list(pair) for pair in bounds], list(chunk)
        self.low, self.high = [0] * len(chunk), [0] * len(chunk)
        for axis in range(len(chunk)):
            self.find_ends(axis)
        self.most = MOST // bytes_each
        self.records, self.count, self.bits, self.first_low = [], 1, None, list(self.low)
        extents = self.extents()
        if not chunk:
            return
        last, left = list(self.high), []
        if order == 1 and all(extents):
            self.high = [l + 1 for l in self.low]
            left = [axis for axis, b in enumerate(extents) if b > 1]
        if order == 2:
            impossible(any(b < 1 or b & b - 1 for b in extents), "Z order of extents that are no powers of two")
            self.bits = [b.bit_length() - 1 for b in extents]
        self.records.append((0, True, self.low[0], 0, self.factors(0), list(self.low)))
        self.count = math.prod(self.extents())
        self.first_count = self.count
        while left:
            for axis in list(left):
                self.layers(axis, True, 1 if len(left) > 1 else last[axis] - self.high[axis])
                if self.high[axis] == last[axis]:
                    left.remove(axis)
            impossible(len(self.records) > (1 << 20) // len(chunk), "a shell of too many growths")
        self.check()

    def extents(self):
        return [high - low for low, high in zip(self.low, self.high)]

    def factors(self, axis):
        factors, product = [0] * len(self.low), 1
        for j in reversed(range(len(self.low))):
            if j != axis:
                factors[j], product = product, product * (self.high[j] - self.low[j])
        factors[axis] = product
        return factors

    def check(self):
        impossible(max(self.count, math.prod(b for b in self.extents() if b)) > self.most, "too many chunks")

    def layers(self, axis, high, n):
        factors = self.factors(axis)
        edge = self.high if high else self.low
        self.records.append((axis, high, edge[axis], self.count, factors, list(self.low)))
        self.count += n * factors[axis]
        edge[axis] += n if high else -n

    def grow(self, axis, by):
        (lower, upper), c = self.bounds[axis], self.chunk[axis]
        if by < 0 and lower == upper:
            self.low[axis] = -(-lower // c)
        self.bounds[axis][by > 0] += by
        lower, upper = self.bounds[axis]
        n = -(-upper // c) - self.high[axis] if by > 0 else self.low[axis] - lower // c
        if n > 0:
            self.layers(axis, by > 0, n)
        self.find_ends(axis)
        self.check()

    def trim(self, axis, lower, upper):
        self.bounds[axis] = [lower, upper]
        self.find_ends(axis)

    def find_ends(self, axis):
        (lower, upper), c = self.bounds[axis], self.chunk[axis]
        self.low[axis] = lower // c
        self.high[axis] = -(-upper // c) if lower < upper else lower // c

    def add_axis(self, at):
        def longer(values):
            return values[:at] + [0] + values[at:]
        self.records = [(axis + (axis >= at), high, n, m, longer(factors), longer(low))
                        for axis, high, n, m, factors, low in self.records]
        if not self.chunk:
            self.records, self.first_count = [(0, True, 0, 0, [1], [0])], 1
        self.bits = self.bits and longer(self.bits)
        self.first_low = longer(self.first_low)
        for values, new in ((self.bounds, [0, 1]), (self.chunk, 1), (self.low, 0), (self.high, 1)):
            values.insert(at, new)
        self.check()

    def interleaved(self):
        """Z: the axis and the bit of its index for each bit of an address, from the lowest on."""
        return [(axis, bit) for bit in range(max(self.bits)) for axis in reversed(range(len(self.bits)))
                if self.bits[axis] > bit]

    def address(self, index):
        if not self.chunk:
            return 0
        axis, high, n, m, factors, low = next(r for r in reversed(self.records) if (index[r[0]] >= r[2]) == r[1])
        if self.bits and m < self.first_count:
            return sum((index[j] - self.first_low[j] >> bit & 1) << place
                       for place, (j, bit) in enumerate(self.interleaved()))
        layer = index[axis] - n if high else n - 1 - index[axis]
        return m + layer * factors[axis] + sum((i - l) * f for j, (i, l, f) in enumerate(zip(index, low, factors))
                                               if j != axis)

    def index(self, address):
        """None: it was trimmed."""
        if not self.chunk:
            return []
        axis, high, n, m, factors, low = next(r for r in reversed(self.records) if r[3] <= address)
        if self.bits and m < self.first_count:
            index = list(self.first_low)
            for place, (j, bit) in enumerate(self.interleaved()):
                index[j] += (address >> place & 1) << bit
        else:
            index = [0] * len(factors)
            layer, rest = divmod(address - m, factors[axis])
            index[axis] = n + layer if high else n - 1 - layer
            for j in range(len(factors)):
                if j != axis:
                    layer, rest = divmod(rest, factors[j]) if factors[j] else (0, rest)
                    index[j] = low[j] + layer
        inside = all(l <= i < h for l, i, h in zip(self.low, index, self.high))
        return index if inside and self.address(index) == address else None
