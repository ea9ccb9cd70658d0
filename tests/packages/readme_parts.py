"""The examples of README.md as files: readme_parts.py README.md FOLDER writes readme.sh and readme.c, which prints the numbers
that its last comment has."""

import pathlib
import re
import sys

text, to = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"), pathlib.Path(sys.argv[2])
example = dict(re.findall(r"^## (\w+)\n\n```\w*\n(.*?)^```", text, re.S | re.M))
includes, body = example["C"].split("\n\n", 1)
(to / "readme.c").write_text(f"#include <stdio.h>\n{includes}\nint main(void)\n{{\n{body}\n"
                             'for (int i = 0; i < 8; i++) printf("%g ", turned[i]);\n}\n', encoding="utf-8")
commands = [line[2:] for line in example["Shell"].splitlines() if line.startswith("$ ")]
if len(commands) < 6:
    sys.exit(f"README.md has only {len(commands)} commands")
(to / "readme.sh").write_text("set -eux\n" + "\n".join(commands) + "\n", encoding="utf-8")
