"""What a writer does with a store: the rows of the table of changes, and transactions of several."""
import json

from log import ATTRIBUTE, C, COMMIT, EPOCH, GROW, REMOVE, RENAME, TRIM, VARIABLE, WORDS, words
from compaction import compact  # noqa: F401  one of KINDS
from rules import Broken, on
from truth import Transaction
from world import Process
from writer import Q1, Q2

NAMES = "ab"
KINDS = {"extend": 2, "transaction": 6, "write": 5, "sync": 3, "trim": 2, "compact": 1, "attribute": 1, "reserve": 1,
         "close": 2, "punch": 2, "refresh": 1}


def likings(rng):
    """How often each comes in one history: what hides in the company of others shows where those are left out."""
    return {kind: n * rng.choice((0, 1, 1, 3)) for kind, n in KINDS.items()} | {"transaction": 6}


def some(p):
    """Some writers that share only write elements, and seldom hear of others."""
    if p.writes_elements is None:
        p.writes_elements = p.sharing and p.rng.random() < .4
    likings = {"write": 9, "close": 1, "refresh": .2} if p.writes_elements else p.world.likings
    what, = p.rng.choices(list(likings), likings.values())
    p.world.count(what)
    yield from globals()[what](p)


# --- writing elements

def put(p, state, v, index, transaction):
    """One element."""
    value = p.truth.begin(state.key(v, index), transaction, p)
    q, cell = v.place(index)
    files = yield from p.find(v)
    if files and (yield from files.write(v, q, {cell: value})):
        p.truth.done(value)
    else:  # the variable is gone
        p.truth.values[value].needed = False


DIRECT = Transaction()  # of elements that belong to none
DIRECT.state = "committed"


def write(p):
    """Elements inside the bounds, without the lock of changes."""
    if p.sharing and not (yield from may_write(p)):
        return
    variables = list(p.state.variables.values())
    for _ in range(p.rng.randrange(1, 6)):
        v = p.rng.choice(variables) if variables else None
        indices = list(p.state.indices(v)) if v else None
        if indices:
            yield from put(p, p.state, v, p.rng.choice((indices[0], indices[-1], p.rng.choice(indices))), DIRECT)
    p.unlock(p.log, "elements")


def may_write(p):
    """Hold the lock of elements, in a store whose TRIMs this process knows."""
    yield from p.lock(p.log, "elements", shared=True)
    if on("writers_look") and (yield words(p.log)) != p.words:
        p.unlock(p.log, "elements")
        yield from refresh(p)
        return False
    return True


def refresh(p):
    yield from p.begin()
    p.end()


def close(p):
    """Compress chunks that are open."""
    packed = [v for v in p.state.variables.values() if v.packed]
    if packed and (not p.sharing or (yield from may_write(p))):
        v = p.rng.choice(packed)
        files = yield from p.find(v)
        for q in p.state.live(v) if files else ():
            yield from files.close(v, q)
        p.unlock(p.log, "elements")


def punch(p):
    """Give back what was replaced."""
    packed = [v for v in p.state.variables.values() if v.packed]
    if packed and (not p.sharing or (yield from may_write(p))):
        v = p.rng.choice(packed)
        files = yield from p.find(v)
        for q in p.state.live(v) if files else ():
            yield from files.punch(v, q)
        p.unlock(p.log, "elements")


# --- growth

def some_growth(p, state, but=()):
    """Often the last one again, or one over what a TRIM has left."""
    dimension, by = p.rng.choice(sorted(state.bounds)), p.rng.choice((1, 1, 2, 3)) * p.rng.choice((1, 1, 1, -1))
    if p.world.last_growth and p.rng.random() < .5:
        dimension, by = p.world.last_growth
    p.world.last_growth = dimension, by
    lower, upper = state.bounds[dimension]
    if upper - lower > (3 if p.world.likings["trim"] else 10) or dimension in but and on("no_growth_after_trim"):
        return None
    return dimension, Q2.pack(by, (upper if by > 0 else lower) + by)


def grow(p, t, growth, flags=0):
    """A GROW: with C, all is as it is to be before it; in a transaction it comes first."""
    dimension, payload = growth
    after = t.after(p.world.record_of(GROW, dimension, payload, t), p.truth.tick())
    t = yield from p.append_epochs(t, (yield from p.uncover(t, after)))
    if flags & C:
        yield from p.add_chunks(t, after)
        after = yield from p.append(t, GROW, dimension, payload, flags)
        p.unlock_entries()
        return after
    p.unlock_entries()
    if not on("grow_first"):
        yield from fill_new(p, t, after, p.transaction)
    after = yield from p.append(t, GROW, dimension, payload)
    yield from p.add_chunks(t, after)
    return after


def extend(p):
    yield from p.begin()
    growth = some_growth(p, p.state)
    if growth:
        yield from p.before_first_change()
        p.state = yield from grow(p, p.state, growth, C)
    p.end()


def reserve(p):
    """A growth of one's own, whose slab is written without the lock."""
    yield from p.begin()
    before, growth = p.state, some_growth(p, p.state)
    if growth:
        yield from p.before_first_change()
        p.state = yield from grow(p, p.state, growth, C)
    p.end()
    if growth and (not p.sharing or (yield from may_write(p))):
        yield from fill_new(p, before, p.state, DIRECT)
        p.unlock(p.log, "elements")


def fill_new(p, before, after, transaction):
    for number, v in after.variables.items():
        old = before.variables.get(number)
        had = set(before.indices(old)) if old else ()
        for index in list(after.indices(v)):
            if index not in had and p.rng.random() < .7:
                yield from put(p, after, v, index, transaction)


class Rank(Process):
    """Another process of an MPI job, which writes a part of what its transaction adds."""

    def __init__(self, root, before, after):
        self.job = root, before, after
        super().__init__(root.world)
        self.sharing = root.sharing
        self.log, self.state, self.finished = root.log, root.state, False
        self.last_epoch = type(root).last_epoch.__get__(self)
        self.of = root.transaction

    def life(self):
        root, before, after = self.job
        yield from fill_new(self, before, after, self.of)
        self.release()
        self.finished = True
        self.world.processes.remove(self)
        while True:
            yield


# --- transactions

def transaction(p):
    yield from p.begin()
    yield from p.before_first_change()
    p.transaction = Transaction()
    p.truth.transactions.append(p.transaction)
    before = t = p.state
    trimmed = set()
    for _ in range(p.rng.choice((1, 1, 2, 3, 4))):
        change = p.rng.choice((grown, grown, grown, added, removed, renamed, trimmed_in))
        fits = not p.world.lone if change in (added, removed, renamed) else change is grown or p.world.likings["trim"]
        if fits:
            t = yield from change(p, t, trimmed)
    if p.rng.random() < .4:
        p.transaction.state = "aborted"
        if p.rng.random() < .5:  # a commit that had begun
            yield from p.sync_data(v for n, v in t.variables.items() if v.map is not before.variables.get(n, v).map)
        log = p.world.read((yield p.log.read()), p.state)
        yield from p.give_back(log.tail, len(p.log) > p.state.end)
    elif t is not before:
        yield from commit(p, before, t)
    p.transaction = None
    p.end()


def grown(p, t, trimmed):
    growth = some_growth(p, t, trimmed)
    if not growth:
        return t
    before, after = t, (yield from grow(p, t, growth))
    if p.sharing and p.rng.random() < .4:
        rank = Rank(p, before, after)
        rank.log.lock("elements", rank, shared=True)
        p.world.processes.append(rank)
        while not rank.finished and rank in p.world.processes:
            yield
    yield from fill_new(p, before, after, p.transaction)
    return after


def added(p, t, trimmed):
    free = [name for name in NAMES if name not in [v.name for v in t.variables.values()]]
    if not free or t.last_number > 8:
        return t
    name, number = p.rng.choice(free), t.last_number + 1
    if number in p.truth.numbers:
        raise Broken("the number of a variable is used again")
    dims = p.rng.choice(([1], [2], [1, 2], [2, 1]))
    packed, stem = p.rng.random() < .5, f"{name}~{number}" if on("stems_once") else name
    said = dict(group=0, name=name, stem=stem, dims=dims, chunk=[p.rng.choice((1, 2, 2, 3)) for _ in dims],
                fill=p.rng.choice((0, (1 << 32) - 1)), stripes=1 if packed else p.rng.choice((1, 1, 2)), packed=packed)
    after = yield from p.append(t, VARIABLE, number, json.dumps(said).encode())
    if on("variable_first"):
        yield from p.sync_log()
    v = after.variables[number]
    files = yield from p.find(v, make=True)
    if v.packed:
        files.present = 1
    yield from p.add_chunks(t, after)
    yield from fill_new(p, t, after, p.transaction)
    if on("files_durable"):
        yield p.folder.sync()
    return after


def removed(p, t, trimmed):
    if len(t.variables) < 2:
        return t
    return (yield from p.append(t, REMOVE, p.rng.choice(sorted(t.variables)), b"\3"))


def renamed(p, t, trimmed):
    free = [name for name in NAMES if name not in [v.name for v in t.variables.values()]]
    if not free or not t.variables:
        return t
    return (yield from p.append(t, RENAME, p.rng.choice(sorted(t.variables)), json.dumps(free[0]).encode()))


def trimmed_in(p, t, trimmed):
    dimension = p.rng.choice(sorted(t.bounds))
    bounds = some_trim(p, t, dimension)
    if not bounds:
        return t
    trimmed.add(dimension)
    return (yield from p.append(t, TRIM, dimension, bounds))


def some_trim(p, state, dimension):
    lower, upper = state.bounds[dimension]
    if upper - lower < 2:
        return None
    by, low = p.rng.randrange(1, upper - lower), p.rng.random() < .4
    p.world.last_growth = dimension, -by if low else by
    return Q2.pack(lower + by, upper) if low else Q2.pack(lower, upper - by)


def commit(p, before, t):
    here = p.truth.time
    changed = [v for n, v in t.variables.items() if n not in before.variables or before.variables[n].map is not v.map]
    if on("data_before_commit"):
        t = yield from promise_data(p, t, changed)
    number = t.commits
    p.state = yield from p.append(t, COMMIT, 0, Q2.pack(number, here), C)
    p.unlock_entries()
    removed = [v for n, v in t.removed.items() if n not in before.removed]
    if not on("remove_after"):
        yield from unlink_all(p, removed)
    yield from p.sync_log()
    p.promise()
    p.truth.numbers.update(t.variables)
    for value in p.truth.values.values():
        if value.transaction is p.transaction:
            value.promised = True
    if on("remove_after"):
        yield from unlink_all(p, removed)
    committed = p.state.seq
    p.transaction = None
    if on("sync_after_commit"):
        yield from p.sync_record()
    p.truth.guarded = max(p.truth.guarded, committed)


def unlink_all(p, variables):
    for v in variables:
        yield from p.unlink(v)


def promise_data(p, t, variables):
    """Make elements durable, and append the EPOCHs that say so. Entries stay locked until then."""
    for v in sorted(variables, key=lambda v: v.number):
        epoch = yield from (yield from p.files(v)).promise(v)
        if epoch:
            if not on("epoch_locks"):
                yield
            t = yield from p.append(t, EPOCH, v.number, epoch.to_bytes(8, "little"))
    return t


def trim(p):
    yield from p.begin()
    yield from p.before_first_change()
    dimension = p.rng.choice(sorted(p.state.bounds))
    bounds = some_trim(p, p.state, dimension)
    if bounds:
        p.state = yield from p.append(p.state, TRIM, dimension, bounds, C)
        if not on("word_by_all"):
            yield p.log.write(WORDS, Q1.pack(p.state.seq))
    p.end()


def attribute(p):
    """Its value is now and then a log itself, that of this very place too."""
    yield from p.begin()
    yield from p.before_first_change()
    value = p.rng.randbytes(8 * p.rng.randrange(1, 6))
    if p.rng.random() < .5:
        value = b"".join(p.world.a_sync(p.state.seq + 1000 + i) for i in range(3))
    p.state = yield from p.append(p.state, ATTRIBUTE, 0, value, C)
    p.end()


# --- making durable

def sync(p):
    """drx_sync: the elements of all, then a SYNC. It gives back what TRIMs have freed."""
    start = p.truth.time
    if p.sharing:
        if not on("sync_locked"):
            yield from p.sync_log()
        yield from (p.begin() if on("sync_cuts") else begin_without_cut(p))
    variables = list(p.state.variables.values())
    t = yield from promise_data(p, p.state, variables)
    if on("sync_locked") and on("log_synced"):
        yield from p.sync_log()
    key = {(p.state.seq, p.state.crc)}
    p.state = t
    yield from p.sync_record()
    p.unlock_entries()
    if on("sync_locked") and on("log_synced"):
        p.truth.promised = key
        p.truth.promise(start)
    p.first_change = False
    yield from give_space(p)
    p.end()


def begin_without_cut(p):
    """Take the lock, and take a dead tail for a part of what counts."""
    yield from p.lock(p.log, "changes")
    if (yield p.folder.get("log")) is not p.log:
        p.log = None
        p.release()
        return (yield from p.begin())
    log = p.world.read((yield p.log.read()), p.state)
    p.state = log.state
    for record in log.tail:
        p.state = p.state.after(record, p.truth.life[record.seq, record.crc])
    yield p.log.resize(p.state.end)


def give_space(p):
    """After a SYNC: what TRIMs have freed."""
    if p.state.last_trim and p.rng.random() < .7:
        yield from p.take_cells(p.state)
        for v in p.state.variables.values():
            files = yield from p.files(v)
            for q in set(range(v.given)) - set(p.state.live(v)) - p.freed.setdefault(v.life, set()):
                yield from files.free(v, q)
                p.freed[v.life].add(q)
