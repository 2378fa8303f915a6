"""Where a text is in the processes of a machine: token-scan.py watch | memory NAMESPACE, with the text as the first line of the input.

watch looks at arguments and environments until its input ends; memory looks at everything that a process can write, once. Processes of the mount
namespace NAMESPACE (that of the control plane) do not count, nor does this one. Each line of the output is what and which process."""
import os
import re
import select
import sys

text = sys.stdin.buffer.readline().strip()
assert len(text) > 8


def others(namespace=None):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(pid) != os.getpid() and os.readlink(f"/proc/{pid}/ns/mnt") != namespace:
                yield pid
        except OSError:
            continue  # it has ended


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def name(pid):
    return read(f"/proc/{pid}/comm").decode().strip()


def holds(pid):
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            for line in maps:
                begin, end, rights = re.match(r"(\w+)-(\w+) (\S+)", line).groups()
                if not rights.startswith("rw"):
                    continue
                at, last, before = int(begin, 16), int(end, 16), b""
                while at < last:
                    try:
                        memory.seek(at)
                        part = memory.read(min(1 << 22, last - at))
                    except (OSError, OverflowError, ValueError):
                        break
                    if not part:
                        break
                    if text in before + part:
                        return True
                    before, at = part[-len(text) :], at + len(part)
    except OSError:
        pass
    return False


if sys.argv[1] == "memory":
    looked = 0
    for pid in others(sys.argv[2] if len(sys.argv) > 2 else None):
        looked += 1
        if holds(pid):
            print("memory", name(pid))
    print("looked", looked)
else:
    rounds, seen = 0, set()
    while not select.select([sys.stdin], [], [], 0.02)[0]:
        rounds += 1
        for pid in others():
            for what in ("cmdline", "environ"):
                if text in read(f"/proc/{pid}/{what}") and (what, pid) not in seen:
                    seen.add((what, pid))
                    print(what, name(pid), flush=True)
    print("looked", rounds)
