#!/usr/bin/env python3
"""Make the man pages of section 3 from the comments of the public headers.

    make_pages.py FOLDER [--example HEADER=FILE]... HEADER...

writes FOLDER/drx.3 for drx.h, and so on, and for each function a page that leads there. The headers in include/ share
a form: a comment on the whole, comments such as `---- growth ----` that begin a part, and comments before declarations.
In a comment,

    - a line without indentation goes on with its paragraph; an empty line ends it;
    - `  name  text` is an entry in a list of names, `  - text` in a list of items; it ends where its indentation ends;
    - `    text` is printed as it stands;
    - `Errors:`, `Threads:` and other LABELS begin a paragraph, and `Environment` and other SECTIONS a section.
"""

import argparse
import pathlib
import re
import sys
import textwrap

DATE = "November 22, 2026"
LABELS = ("Collective", "Durable", "Errors", "Memory", "Not collective", "Threads", "Time")
SECTIONS = {"Environment": "Ev", "Files": "Pa"}  # and the macro of what they list
PAPER = [".Rs", ".%A E. J. Otoo", ".%A D. Rotem",
         ".%T Parallel Access of Out-Of-Core Dense Extendible Arrays", ".%D 2009", ".Re"]
LITERAL, ITEM = re.compile(r" {4,}\S"), re.compile(r" {2}- (.*)")
ENTRY = re.compile(r" {2}(\S+(?: \S+)*?) {2,}(\S.*)")


def escape(text):
    """Text of a line that stands as it is."""
    text = text.replace("\\", "\\e")
    return "\\&" + text if text.startswith((".", "'")) else text


def words(text, names):
    """Lines of mdoc for running text: names of functions, constants and arguments are marked as such."""
    lines = [[]]
    for word in text.split():
        match = re.fullmatch(r"([(\[]*)(`[^`]+`|\w+)(.*)", word)
        before, core, after = match.groups() if match else ("", "", "")
        macro = ("Fa" if core.startswith("`") else "Fn" if core in names and not re.match(r"\([^)]", after) else
                 "Dv" if re.fullmatch(r"(DRX|DAP|MPI)_[A-Z0-9_]+", core) else None)
        if macro:
            core = core.strip("`")
            after = re.sub(r"^\(\)", "", after)
            tail = f" Ns {escape(after)}" if after.strip(".,;:)") else "".join(" " + mark for mark in after)
            head = f"No \\&{before} Ns " if before else ""
            lines += [f".{head}{macro} {core}{tail}", []]
        else:
            lines[-1].append(word)
        if re.search(r"[.?!]\)?$", word) and lines[-1]:
            lines.append([])
    result = []
    for line in lines:
        if isinstance(line, str):
            result.append(line)
        else:
            result += map(escape, textwrap.wrap(" ".join(line), 100, break_long_words=False, break_on_hyphens=False))
    return result


def indented(lines, i, least):
    """Lines from i on that are indented by `least` or are empty between such lines."""
    end = i
    for j in range(i, len(lines)):
        if lines[j].startswith(" " * least):
            end = j + 1
        elif lines[j]:
            break
    return lines[i:end], end


def body(lines, names):
    """mdoc of a comment, whose lines have lost their ` * `."""
    out, i, kind, name = [], 0, None, "Fa"

    def switch(new, begin=None):
        nonlocal kind
        if kind in ("entry", "item") and kind != new:
            out.append(".El")
        if begin and kind != new:
            out.append(begin)
        kind = new

    while i < len(lines):
        line = lines[i]
        entry, item = ENTRY.fullmatch(line), ITEM.fullmatch(line)
        label = re.match(rf"({'|'.join(LABELS)})([:.])\s*(.*)", line)
        if not line:
            i += 1
            if i < len(lines) and lines[i].startswith("  ") and kind in ("entry", "item"):
                continue
            switch(None)
            out.append(".Pp")
        elif line in SECTIONS:
            switch(None)
            out += [f".Sh {line.upper()}"]
            name = SECTIONS[line]
            i += 1
        elif item or (entry and not LITERAL.match(line)):
            more, end = indented(lines, i + 1, 4)
            text = " ".join([(item[1] if item else entry[2])])
            column = 4 if item else line.index(entry[2], 2 + len(entry[1]))
            loose = [part for part in more if part and len(part) - len(part.lstrip()) > column + 3]
            switch("item" if item else "entry", ".Bl -bullet" if item else ".Bl -tag -width Ds")
            out.append(".It" if item else f".It {name} {entry[1].replace(', ', ' , ')}")
            if loose:  # a list in a list, or what is printed as it stands
                out += words(text, names)
                out += [".Bd -literal"] + [escape(part[column:]) for part in more if part] + [".Ed"]
            else:
                out += words(" ".join([text] + more), names)
            i = end
        elif LITERAL.match(line):
            switch(None)
            block, i = indented(lines, i, 4)
            out += [".Bd -literal -offset indent"] + [escape(part[4:]) for part in block] + [".Ed"]
        else:
            text = []
            if label:
                switch(None)
                out += [".Pp", f".Sy {label[1]} {label[2]}"]
                line = label[3]
                while True:
                    text.append(line.strip())
                    i += 1
                    if i == len(lines) or not re.match(r"\S|  {6,}\S", lines[i]):
                        break
                    if re.match(r"[A-Z]\w*( \w+)?:", lines[i]):
                        break
                    line = lines[i]
            else:
                switch(None)
                while not text or (i < len(lines) and re.match(r"\S", lines[i]) and lines[i] not in SECTIONS and
                                   not re.match(rf"({'|'.join(LABELS)})[:.]", lines[i])):
                    text.append(lines[i])  # at least one line, however it is indented
                    i += 1
            out += words(" ".join(text), names)
    switch(None)
    return out


def tidy(lines):
    """Without breaks between paragraphs where mdoc has one in any case."""
    out = []
    for line in lines:
        if line == ".Pp" and (not out or out[-1] == ".Pp" or out[-1].startswith((".Sh", ".Ss", ".It", ".Bd"))):
            continue
        if line.startswith((".Sh", ".Ss", ".It", ".El", ".Bl", ".Bd")) and out and out[-1] == ".Pp":
            out.pop()
        out.append(line)
    while out and out[-1] == ".Pp":
        out.pop()
    return out


def comment_lines(comment):
    lines = comment[2:-2].split("\n")
    lines = [lines[0].removeprefix(" ")] + [re.sub(r"^ \* ?", "", line) for line in lines[1:]]
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def pieces(text):
    """The header in order: ("comment", lines), ("blank", ...), ("code", text of one declaration with its comment)."""
    text = re.sub(r'#ifdef __cplusplus\n.*?#endif\n', "", text, flags=re.S)
    text = re.sub(r"#if defined\(__GNUC__\)\n.*?#endif\n", "", text, flags=re.S)
    i = 0
    while i < len(text):
        if text[i] == "\n":
            yield "blank", None
            i += 1
        elif text.startswith("/*", i):
            end = text.index("*/", i) + 2
            if "clang-format" not in text[i:end]:
                yield "comment", comment_lines(text[i:end])
            i = end + 1
        elif text[i] == "#":
            end = i
            while text[end - 1:end + 1] != "\n" and text[end] != "\n" or text[end - 1] == "\\":
                end += 1
            yield "directive", text[i:end]
            i = end + 1
        else:
            depth, end = 0, i
            while depth or text[end] != ";":
                if text.startswith("/*", end):
                    end = text.index("*/", end) + 1
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            end = text.index("\n", end)
            opened = text.rfind("/*", i, end)
            if opened > text.rfind("*/", i, end):  # a comment that goes on
                end = text.index("\n", text.index("*/", end))
            yield "code", text[i:end]
            i = end + 1


API = r'(?:(?:DRX|DAP)_API|__attribute__\(\(visibility\("default"\)\)\))'
PROTOTYPE = re.compile(API + r" (.*?)(\w+)\((.*)\);\s*(?:/\*(.*)\*/)?", re.S)


def prototype(match):
    result, name, arguments, _ = match.groups()
    result = " ".join(result.split())
    lines = [f'.Ft "{result}"' if " " in result else f".Ft {result}", f".Fo {name}"]
    if arguments != "void":
        arguments = re.sub(r"\s+", " ", arguments)
        lines += [f'.Fa "{argument}"' for argument in re.split(r", (?![^(]*\))", arguments)]
    return lines + [".Fc"]


def read(path):
    """Title, the statuses, and parts (title, what it has in order) of a header."""
    whole, statuses, title = None, [], None
    part = [None, []]
    parts = [part]
    pending, functions = None, []
    for kind, content in pieces(path.read_text()):
        if kind == "code":
            match = PROTOTYPE.fullmatch(content.strip())
            if match:
                functions.append(match)
                continue
            if "_STATUS_LIST(" not in content:
                part[1].append(("text", content, pending or []))
            pending = None
            continue
        if functions:
            part[1].append(("functions", functions, pending or []))
            pending, functions = None, []
        if kind == "comment" and whole is None:
            title, whole = content[0].split(" - ", 1)[1].rstrip("."), content[1:]
        elif kind == "comment" and content[0].startswith("----"):
            heading = re.sub(r"^-+ | ?-+$", "", content[0])
            part = [heading, [("note", None, content[1:])] if content[1:] else []]
            parts.append(part)
        elif kind == "comment":
            if pending:
                part[1].append(("note", None, pending))
            pending = content
        elif kind == "directive" and "_STATUS_LIST(X)" in content:  # a section of its own, ERRORS
            statuses += re.findall(r'X\((\w+), -\d+, "(.*?)"\)', content)
            pending = None
        elif kind == "blank" and pending:
            part[1].append(("note", None, pending))
            pending = None
    declared = re.findall("^" + API, path.read_text(), re.M)
    if len(declared) != sum(len(functions_of(content)) for _, content in parts):
        sys.exit(f"{path}: a declaration is not in the form that make_pages.py reads")
    return title, whole, statuses, [entry for entry in parts if entry[1]]


def functions_of(content):
    return [match for kind, group, _ in content if kind == "functions" for match in group]


def page(path, example, others):
    name = path.stem
    title, whole, statuses, parts = read(path)
    functions = [match[2] for _, content in parts for match in functions_of(content)]
    names = set(functions) | set(others)
    prefix = "DAP" if name == "dap" else "DRX"
    out = [f".Dd {DATE}", f".Dt {name.upper()} 3", ".Os", ".Sh NAME", f".Nm {name}", f".Nd {escape(title)}",
           ".Sh SYNOPSIS",
           f".In {path.name}"]
    for _, content in parts:
        prototypes = [line for match in functions_of(content) for line in prototype(match)]
        out += ([".Pp"] + prototypes) if prototypes else []
    out += [".Sh DESCRIPTION"]
    description = body(whole, names)
    cut = next((i for i, line in enumerate(description) if line.startswith(".Sh ")), len(description))
    out += description[:cut]
    for heading, content in parts:
        if heading:
            out.append(f".Ss {heading[0].upper()}{heading[1:]}")
        elif any(kind != "functions" for kind, _, _ in content):
            out.append(".Ss Types and constants")
        for kind, group, comment in content:
            if kind == "note":
                out += [".Pp"] + body(comment, names)
            elif kind == "text":
                out += [".Pp"] + body(comment, names) + [".Bd -literal -offset indent"]
                out += [escape(line) for line in group.split("\n")] + [".Ed"]
            else:
                out += [".Bl -tag -width Ds", ".It Fn " + " , Fn ".join(match[2] for match in group)]
                out += body(comment, names)
                for match in (match for match in group if match[4]):
                    text = " ".join(re.sub(r"\n\s*\*?", " ", match[4]).split())
                    out += [".Pp", f".Fn {match[2]} :"] + words(text, names)
                out.append(".El")
    out += description[cut:]
    if example:
        out += [".Sh EXAMPLES", ".Bd -literal"] + [escape(line) for line in example.read_text().splitlines()] + [".Ed"]
    if statuses:
        out += [".Sh ERRORS", f".Bl -tag -width {prefix}_EUNSUPPORTED"]
        for status, text in statuses:
            out += [f".It Bq Er {prefix}_{status}", f"{text[0].upper()}{text[1:]}."]
        out += [".El"]
    return functions, tidy(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("headers", type=pathlib.Path, nargs="+", metavar="HEADER")
    parser.add_argument("--example", action="append", default=[], metavar="HEADER=FILE")
    arguments = parser.parse_args()
    examples = dict(example.split("=", 1) for example in arguments.example)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for old in arguments.folder.glob("*.3"):
        old.unlink()
    known = [match[2] for path in arguments.headers for _, content in read(path)[3] for match in functions_of(content)]
    pages = sorted(path.stem for path in arguments.headers)
    for path in arguments.headers:
        example = examples.get(path.name)
        functions, lines = page(path, pathlib.Path(example) if example else None, known)
        also = [("drx", 1)] + [(other, 3) for other in pages if other != path.stem]
        lines += [".Sh SEE ALSO"] + [f".Xr {other} {section}" + (" ," if (other, section) != also[-1] else "")
                                     for other, section in also] + PAPER
        (arguments.folder / f"{path.stem}.3").write_text("\n".join(lines) + "\n")
        for function in functions:
            (arguments.folder / f"{function}.3").write_text(f".so man3/{path.stem}.3\n")


if __name__ == "__main__":
    main()
