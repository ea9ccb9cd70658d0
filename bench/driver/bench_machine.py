"""What the benchmark ran on."""

import os
import platform
import re
import subprocess
import time

import numpy


def first_line(path, key=None):
    """The first line of a file, or what follows the key in it; None if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if key is None:
                    return line.strip()
                if line.startswith(key):
                    return line.split(":" if ":" in line else "=", 1)[1].strip().strip('"')
    except OSError:
        pass
    return None


def output(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def touch(size_bytes):
    """Use so much memory, no more than there is, and give it back, so that the host has its pages ready."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        available = next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable"))
    numpy.full(min(size_bytes, available // 2), 1, numpy.uint8)


def cache_text():
    folder, levels = "/sys/devices/system/cpu/cpu0/cache", []
    for index in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        level, size, kind = (first_line(f"{folder}/{index}/{name}") for name in ("level", "size", "type"))
        if level and size and kind != "Instruction":
            levels.append(f"L{level} {size}")
    return ", ".join(levels) or None


def describe(folder, build):
    memory = first_line("/proc/meminfo", "MemTotal")
    found = {
        "Processor": first_line("/proc/cpuinfo", "model name"),
        "Cores": f"{len(os.sched_getaffinity(0))}",
        "Caches": cache_text(),
        "Memory": f"{int(memory.split()[0]) / (1 << 20):.0f} GiB" if memory else None,
        "Huge pages": first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
        "File system": output("stat", "-f", "-c", "%T", folder),
        "System": f"{first_line('/etc/os-release', 'PRETTY_NAME')}, Linux "
                  + re.match("[0-9.]*", platform.release()).group(),
        "Build type": first_line(os.path.join(build, "CMakeCache.txt"), "CMAKE_BUILD_TYPE:"),
        "Date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    build_type = found["Build type"]
    if build_type and "=" in build_type:
        found["Build type"] = build_type.split("=", 1)[1]
    return {name: text for name, text in found.items() if text}
