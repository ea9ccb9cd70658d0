"""Attributes in which `form.py` and `drx import` note how they stored what DRX does not have."""

import json

FORM, JSON = "drx_form", "drx_json"
TEXTS = ("text", "characters")  # of drx_form; characters are texts where xarray joins those of netCDF: form.joins
CHARACTERS, STRING, STRINGS, UNLIMITED = "drx.char", "drx.string", "drx.strings", "drx.unlimited"  # of `drx import`
RECORD_END = "\x1e"


def loaded_attributes(attrs):
    """The inverse of `form.dumped_attributes`."""
    attrs = dict(attrs)
    for name in json.loads(attrs.pop(JSON, "[]")):
        if isinstance(attrs[name], str):  # drx.Attributes gives lists of texts
            attrs[name] = json.loads(attrs[name])
    return attrs


def counted_strings(note):
    """{name: how many texts} of the note about attributes whose lines are texts."""
    pairs = (line.split(" ", 1) for line in note.splitlines())
    return {pair[1]: int(pair[0]) for pair in pairs if len(pair) == 2 and pair[0].isdigit()}


def texts_of(text, n=None):
    """The n texts, or all, of a list that is one text: its lines; or what U+001E separates, where texts have lines."""
    return text.split(RECORD_END if RECORD_END in text else "\n")[:n]


def without_notes(attrs):
    """Attributes without those in which `drx import` notes what netCDF has."""
    attrs = {name: value for name, value in attrs.items() if name not in ("drx.characters", "drx.model", "drx.fill_time")}
    if STRINGS in attrs:
        for name, n in counted_strings(attrs.pop(STRINGS)).items():
            if n != 1 and isinstance(attrs.get(name), str):
                attrs[name] = texts_of(attrs[name], n)
    if attrs.pop(CHARACTERS, None) is not None:
        attrs[FORM] = "characters"
    if attrs.pop(STRING, None) is not None:
        attrs.update({FORM: "text", "_Encoding": "utf-8"})
    return attrs
