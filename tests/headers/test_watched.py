"""scripts/watched turns red for each kind of thing that a test may leave, names it, and ignores other programs."""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import by_hand  # noqa: E402, F401

SOURCE = os.path.realpath(os.environ["DRX_SOURCE"])
WATCHED = os.path.join(SOURCE, "scripts", "watched")
ROOT = os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL,
                                            check=False).returncode == 0
HERE = os.getcwd()
TOUCH = "import sys, time\nwhile True: open(sys.argv[1], 'w').close(); time.sleep(0.05)"  # in one process, which a kill ends


def watched(command, script=WATCHED, **environment):
    done = subprocess.run([script, "bash", "-c", command], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout


def expect(command, code, *said, script=WATCHED, **environment):
    result = watched(command, script, **environment)
    assert result[0] == code and all(word in result[1] for word in said), (command, *result)
    assert said or not result[1], (command, *result)


def expect_mount(here, script=WATCHED):
    expect("mkdir m && mount -t tmpfs none m && exec -a x sleep 0", 1, f"mount {here}/m", script=script)
    os.rmdir("m")  # nothing is mounted here


def expect_mount_with_nothing_hidden():
    """With the sources below one of /tmp and /dev/shm, and the current folder below the other, none can be hidden."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as source, tempfile.TemporaryDirectory(dir="/tmp") as here:
        os.mkdir(f"{source}/scripts")
        shutil.copy(WATCHED, f"{source}/scripts")
        os.chdir(here)
        expect_mount(os.path.realpath(here), f"{source}/scripts/watched")
        os.chdir(HERE)


def main():
    expect("true", 0)
    expect("exit 3", 3)
    expect("touch used; rm used; sleep 0.3 & disown", 0)
    expect("touch left", 1, f"file {HERE}/left")
    os.remove("left")
    expect("mkdir -p a/b", 1, f"file {HERE}/a/b")
    os.removedirs("a/b")
    expect("sleep 1000 & disown", 1, "process", "sleep 1000", DRX_WATCHED_PATIENCE="1")
    if not ROOT:
        return
    outside = f"/dev/drx-watched-{os.getpid()}"
    try:
        expect(f"touch {outside}", 1, f"file {outside}")
    finally:
        os.remove(outside)
    name = f"drx-watched-{os.getpid()}"
    try:
        expect(f"ip netns add {name}", 1, f"network namespace {name}")
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False)
    for folder in "/tmp", "/dev/shm":
        if not any(path.startswith(folder) for path in (HERE, SOURCE)):  # what is needed there stays visible
            expect(f"touch {folder}/left", 1, f"file {folder}/left")
            assert not os.path.exists(f"{folder}/left")
            other = subprocess.Popen([sys.executable, "-c", TOUCH, f"{folder}/{name}"])
            try:  # another program, which writes there meanwhile
                expect("sleep 0.5", 0)
            finally:
                other.kill()
                other.wait()
                os.remove(f"{folder}/{name}")
    expect_mount(HERE)
    if os.access("/dev/shm", os.W_OK):
        expect_mount_with_nothing_hidden()


if __name__ == "__main__":
    sys.exit(main())
