"""A shorter log takes the place of the log (5.6)."""
from disk import File
from log import (ATTRIBUTE, BASE, C, COMMIT, EPOCH, GROW, HEAD, LOG, REMOVE, RENAME, SYNC, VARIABLE, WORDS, decode,
                 encode, words)
from rules import Broken, on
from store import State
from writer import Q1, Q2


def records(buffer, end):
    at = LOG
    while at < end:
        record = decode(buffer, at)
        yield record
        at += record.length


def kept(p, old):
    """What of the old log leads to the same state: lists of (kind, number, payload, life), one for each run."""
    state, gone, last = p.state, p.state.removed, {}
    for record in old:
        last[record.kind, record.number] = record
    run, runs = [], []
    for record in old:
        life = p.truth.life[record.seq, record.crc]
        leave = record.kind in (BASE, COMMIT, SYNC)
        leave |= record.kind in (VARIABLE, RENAME, EPOCH, REMOVE) and record.number in gone
        leave |= record.kind in (ATTRIBUTE, EPOCH) and last[record.kind, record.number] is not record
        if not leave:
            run.append((record.kind, record.number, record.payload, life))
        if record.flags & C and run:
            runs.append(run)
            run = []
    return merged(runs, state) if p.world.lone or not on("merge_alone") else runs


def merged(runs, state):
    """Growths that follow each other at one end of one dimension become one."""
    result = []
    for run in runs:
        if len(run) == 1 and result and len(result[-1]) == 1 and run[0][0] == result[-1][0][0] == GROW:
            (_, d, first, life), (_, other, second, more) = result[-1][0], run[0]
            (by, _), (by_more, bound) = Q2.unpack(first), Q2.unpack(second)
            if d == other and by * by_more > 0:
                lives = {**indices(by, bound - by_more, life), **indices(by_more, bound, more)}
                result[-1] = [(GROW, d, Q2.pack(by + by_more, bound), lives)]
                continue
        result.append(run)
    return result


def indices(by, bound, life):
    new = range(bound - by, bound) if by > 0 else range(bound, bound - by)
    return life if isinstance(life, dict) else dict.fromkeys(new, life)


def write_log(p, runs, epochs):
    """The new file, without a name."""
    new, state, truth = File(p.world.block), State(), p.truth
    state.seq = p.state.seq if on("sequence_goes_on") else 0
    new.write(0, HEAD)
    new.write(WORDS, Q2.pack(p.state.last_trim, 0))
    base = (p.state.last_trim if on("base_trim") else 0).to_bytes(8, "little")
    base += (p.state.last_number if on("base_numbers") else max(p.state.variables, default=0)).to_bytes(8, "little")
    base += p.state.commits.to_bytes(8, "little")
    runs = [[(BASE, 0, base, 0)] + runs[0]] + runs[1:] + [epochs + [(SYNC, 0, bytes(8), 0)]]
    for run in runs:
        for i, (kind, number, payload, life) in enumerate(run):
            flags = C if i == len(run) - 1 else 0
            data = encode(kind, number, payload, flags, state.crc, state.seq + 1, state.end)
            key = state.seq + 1, int.from_bytes(data[:4], "little")
            truth.life[key] = life or truth.tick()
            truth.dead.discard(key)
            p.world.states.pop(key, None)
            new.write(state.end, data)
            state = state.after(p.world.record(data, state.end), truth.life[key])
    return new, state


def same(old, new):
    if old.bounds != new.bounds or old.lives != new.lives or old.variables.keys() != new.variables.keys():
        raise Broken("a compaction changed the state")
    for number, v in old.variables.items():
        places = [[x.variables[number].place(index) for index in x.indices(v)] for x in (old, new)]
        if places[0] != places[1] or v.given != new.variables[number].given:
            raise Broken("a compaction moved a chunk")


def compact(p):
    yield from p.begin()
    if not p.log.lock("open", p):  # others have the store open
        return p.end()
    start, epochs = p.truth.time, []
    for number, v in p.state.variables.items():
        epoch = yield from (yield from p.files(v)).promise(v)
        epochs += [(EPOCH, number, epoch.to_bytes(8, "little"), 0)] if epoch else []
    yield from p.sync_log()
    p.truth.promise(start)
    p.promise()
    if on("keep_unlinked"):
        for v in p.state.removed.values():
            yield from p.unlink(v)
        yield p.folder.sync()
    old = p.log
    new, state = write_log(p, kept(p, list(records(old.read(), p.state.end))), epochs)
    same(p.state, state)
    if on("new_log_durable"):
        yield new.sync()
    new.lock("changes", p)
    new.lock("open", p, p.sharing)
    if on("replaced_before"):
        yield old.write(WORDS + 8, Q1.pack(1))
    key = state.seq, state.crc
    p.truth.promised = p.truth.promised | {key}
    for transaction in p.truth.transactions:
        transaction.keys and transaction.keys.add(key)
    guarded = p.truth.guarded
    yield p.folder.set("log", new)
    if on("folder_durable"):
        yield p.folder.sync()
        p.truth.promised = {key}
        p.truth.guarded = p.truth.guarded_for_good = max(guarded, state.seq - 1)
    yield old.write(WORDS + 8, Q1.pack(2))
    p.log, p.words, p.state = new, words(new), state
    p.unlock(old, "changes")
    p.unlock(old, "open")
    p.unlock_entries()
    p.end()
