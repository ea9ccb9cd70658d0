"""What was written, promised and lost: what every read, and every power cut, is judged by."""
from rules import Broken

NEVER = float("inf")


class Transaction:
    def __init__(self):
        self.state = "open"  # committed, aborted, lost
        self.keys = set()  # the record with C that ended it, and those of compacted logs that have it


class Value:
    def __init__(self, key, transaction, begun, writer):
        self.key, self.transaction, self.begun, self.writer = key, transaction, begun, writer
        self.done = NEVER  # when the write had returned
        self.needed = True  # once done, until a power cut, unless it was promised
        self.promised = False


class Truth:
    def __init__(self):
        self.time = 0
        self.values, self.of_key = {}, {}
        self.transactions = []
        self.life = {}  # of each record that was written: (seq, crc): a number
        self.dead = set()  # of these, what a power cut took
        self.numbers = set()  # of variables that were promised
        self.promised = None  # the records with C of which one has to be there after a power cut; None: nothing yet
        self.guarded = 0  # no bit error loses records up to this sequence number unseen
        self.guarded_for_good = 0  # nor after a power cut

    def tick(self):
        self.time += 1
        return self.time

    def begin(self, key, transaction, writer):
        number = len(self.values) + 1
        self.values[number] = Value(key, transaction, self.tick(), writer)
        self.of_key.setdefault(key, []).append(self.values[number])
        return number

    def done(self, number):
        self.values[number].done = self.tick()

    def promise(self, until):
        for value in self.values.values():
            if value.done <= until and value.transaction.state == "committed":
                value.promised = True

    def judge(self, key, found, fill, start, where):
        """A read that began at `start` found this."""
        age = -1
        if found != fill:
            value = self.values.get(found)
            if value is None or value.key != key:
                raise Broken(f"foreign element: {where} holds {found}, of {value and value.key}, not {key}")
            if value.transaction.state != "committed":
                raise Broken(f"element of a transaction that is {value.transaction.state}: {where}")
            age = value.done
        for other in self.of_key.get(key, ()):
            counts = other.needed and other.done <= start and other.transaction.state == "committed"
            if counts and other.begun > age:
                raise Broken(f"element lost: {where} holds {found}, which is older than what was written there")

    def killed(self, writer):
        for value in self.values.values():
            if value.writer is writer and value.done == NEVER:
                value.done, value.needed = self.tick(), False

    def power_cut(self, chain):
        """chain: the records with C that survived."""
        if self.promised and not self.promised & chain:
            raise Broken("a promised commit was lost")
        self.dead |= self.life.keys() - chain
        for transaction in self.transactions:
            if transaction.state == "open":
                transaction.state = "aborted"
            elif transaction.state == "committed" and transaction.keys and not transaction.keys & chain:
                transaction.state = "lost"
        for value in self.values.values():
            if not value.promised:
                value.done, value.needed = min(value.done, self.tick()), False
        self.guarded = self.guarded_for_good
