"""power-cut.py N [empty]: reads a trace of strace -f -y, and kills every process of this room after its N-th write to a file that survives a boot.

A write is counted once for each file and kind. containerd and the first process of the room stay. The event is written to /run/cut.
With `empty`, files whose content was written since the last sync are empty then: their names are on the disk before their contents.
"""
import os
import re
import signal
import sys

EVENT = re.compile(
    r'(?P<call>openat|write|rename\w*|unlink\w*|mkdir\w*|symlink\w*|f?chmod\w*)\((?P<rest>.*)\) += (?P<result>\d+)'
)
PATH = re.compile(r'[<"](?P<path>/(?:etc|var/lib)/[^">]*)')
# no state of a join: logs, and what cloud-init and kubelet write at every boot
IGNORED = re.compile(r'/var/lib/(containerd|kubelet/(pods|plugins|device-plugins|cpu|memory|actuated|allocated|.*(lock|sock)))|/var/lib/cloud/data|/etc/machine-id')


def event_of(line):
    found = EVENT.search(line)
    if not found or (found['call'] == 'openat' and not re.search(r'O_(CREAT|TRUNC)', line)):
        return None
    path = PATH.search(found['rest'])
    return (found['call'], path['path']) if path and not IGNORED.search(path['path']) else None


SYNC = re.compile(r'(?<![a-z_])sync(\(\)| resumed>\)) += 0')
ONE_FILE_SYNC = re.compile(r'f(data)?sync\(\d+<(?P<path>/[^>]*)>\) += 0')


def follow(line, dirty):
    """The files whose content is not on the disk yet."""
    if SYNC.search(line):
        dirty.clear()
        return
    synced = ONE_FILE_SYNC.search(line)
    if synced:
        dirty.discard(synced['path'])
        return
    found = EVENT.search(line)
    if not found:
        return
    paths = [path for path in PATH.findall(found['rest']) if not IGNORED.search(path)]
    if not paths:
        return
    if found['call'].startswith('rename'):
        moved = paths[0] in dirty
        dirty.discard(paths[0])
        (dirty.add if moved else dirty.discard)(paths[-1])
    elif found['call'].startswith('unlink'):
        dirty.discard(paths[-1])
    elif found['call'] == 'write' or (found['call'] == 'openat' and re.search(r'O_(CREAT|TRUNC)', line)):
        dirty.add(paths[-1])


def empty(dirty):
    for path in dirty:
        if os.path.isfile(path) and not os.path.islink(path):
            os.truncate(path, 0)


def kill_all():
    room = os.readlink('/proc/self/ns/mnt')
    # twice, for what was started in between; nsenter stops itself with a stopped child, so nothing is stopped first
    for name in os.listdir('/proc') + os.listdir('/proc'):
        try:
            if not name.isdigit() or int(name) == os.getpid() or os.readlink(f'/proc/{name}/ns/mnt') != room:
                continue
            with open(f'/proc/{name}/cmdline', 'rb') as file:
                command = file.read()
            if b'containerd' not in command and command != b'sleep\0infinity\0':
                os.kill(int(name), signal.SIGKILL)
        except OSError:
            continue


def main():
    number, seen, dirty = int(sys.argv[1]), set(), set()
    for line in sys.stdin:
        follow(line, dirty)
        event = event_of(line)
        if event and event not in seen:
            seen.add(event)
            if len(seen) == number:
                with open('/run/cut', 'w') as file:
                    file.write(' '.join(event))
                kill_all()
                if 'empty' in sys.argv:
                    empty(dirty)
                return
    with open('/run/events', 'w') as file:
        file.write('\n'.join(' '.join(event) for event in seen))


main()
