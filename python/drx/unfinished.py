"""The mark of a change to a dataset that is not complete: the file `_unfinished.json` in its folder.

`save_dataset` and `append_dataset` write the mark, durably, before they change anything, and remove it after everything
is durable. It has one of two forms:

    {"save": [names]}
        `save_dataset` is writing these variables; some may be missing or old

    {"append": axis, "from": bound, "to": {name: bound, ...}, "last": name}
        `append_dataset` is growing these variables along the axis. Elements before index `from` are complete. The other
        variables may have grown, up to `to`, but the dataset has only as many indices as the variable `last`, which
        grows after all others are durable
"""

import json
import os

FILE = "_unfinished.json"


def read(folder):
    """The mark of a folder, or None. ValueError: a file of that name is not a mark."""
    path = os.path.join(folder, FILE)
    try:
        with open(path, encoding="utf-8") as file:
            mark = json.load(file)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{path}: not the mark of an unfinished change: {error}") from None
    if not is_mark(mark):
        raise ValueError(f"{path}: not the mark of an unfinished change")
    return mark


def is_mark(mark):
    """Whether the contents of the file have one of the two forms."""
    if not isinstance(mark, dict):
        return False
    if set(mark) == {"save"}:
        return isinstance(mark["save"], list) and all(isinstance(name, str) for name in mark["save"])
    return (set(mark) == {"append", "from", "to", "last"} and isinstance(mark["to"], dict)
            and mark["last"] in mark["to"]
            and all(type(bound) is int and bound >= 0 for bound in (mark["from"], *mark["to"].values())))


def write(folder, mark):
    """Put a mark into the folder, in the place of one that is there; durable on return."""
    path = os.path.join(folder, FILE)
    try:
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(mark, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".new", path)
        sync_folder(folder)
    except OSError as error:  # those of a descriptor name no file
        raise OSError(error.errno, error.strerror, path) from None


def remove(folder):
    """Remove the mark, durably."""
    try:
        os.unlink(os.path.join(folder, FILE))
        sync_folder(folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.path.join(folder, FILE)) from None


def sync_folder(folder):
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
