"""The commands of README.md as a file: readme_parts.py README.md FOLDER writes readme.sh, without those of CDO."""

import pathlib
import re
import sys

text, to = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"), pathlib.Path(sys.argv[2])
example = re.search(r"^## Your programs open it\n\n```\n(.*?)^```", text, re.S | re.M)[1]
commands = [line[2:] for line in example.splitlines() if line.startswith("$ ") and not line.startswith("$ drx run cdo ")]
if len(commands) < 6:
    sys.exit(f"README.md has only {len(commands)} commands")
(to / "readme.sh").write_text("set -eux\n" + "\n".join(commands) + "\n", encoding="utf-8")
