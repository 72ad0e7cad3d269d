//! The attempts, and what must be told of each.
//!
//! Where a program catches what it meets, it leaves in `got` what that was.

use candor_ports::CodeLimit;

/// What must be told of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// One of these exceptions was not caught.
    Raised(&'static [&'static str]),
    /// The program came to its end and found this.
    Result(&'static str),
    Limit(CodeLimit),
    TimedOut,
    NoResult,
    Killed(i32),
}

/// With namespaces the file is not there; without them it is not allowed.
const HIDDEN: Told = Told::Raised(&["FileNotFoundError", "PermissionError"]);
const DENIED: Told = Told::Raised(&["PermissionError"]);
/// Read-only folders refuse with an error of their own.
const FIXED: Told = Told::Raised(&["PermissionError", "OSError", "FileNotFoundError"]);
const NOTHING: Told = Told::Result("nothing");

pub(crate) type Table = &'static [(&'static str, &'static str, Told)];

pub(crate) const FILES: Table = &[
    ("read /etc/shadow", "open('/etc/shadow').read()", HIDDEN),
    ("read who its host's users are", "open('/etc/passwd').read()", HIDDEN),
    ("read a file of its host", "open(context['secret']).read()", HIDDEN),
    ("list a folder of its host", "import os; os.listdir(context['home'])", HIDDEN),
    ("list the homes", "import os; os.listdir('/home') + os.listdir('/root')", HIDDEN),
    ("climb out of its folder", "open('../' * 9 + 'etc/shadow').read()", HIDDEN),
    ("climb to the folder above", "open('../secret', 'w')", FIXED),
    (
        "follow a link out of its folder",
        "import os; os.symlink(context['secret'], 'x'); open('x').read()",
        HIDDEN,
    ),
    ("hard link to a file outside", "import os; os.link('/etc/passwd', 'x')", FIXED),
    ("hard link to a secret", "import os; os.link(context['secret'], 'x')", FIXED),
    ("remove a file of its host", "import os; os.remove(context['secret'])", HIDDEN),
    ("cut a file of its host", "import os; os.truncate(context['secret'], 0)", HIDDEN),
    ("rename a file of its host", "import os; os.rename(context['secret'], 'x')", FIXED),
    ("write to /usr", "open('/usr/lib/x', 'w')", FIXED),
    ("write to /etc", "open('/etc/passwd', 'a')", FIXED),
    ("write next to Python", "import sys, os; open(os.path.join(sys.prefix, 'x'), 'w')", FIXED),
    ("replace Python's own libraries", "import os; os.remove(os.__file__)", FIXED),
    ("write to the root", "open('/x', 'w')", FIXED),
    ("through its own root", "open('/proc/self/root/etc/shadow').read()", HIDDEN),
    ("through its own folder", "open('/proc/self/cwd/../../etc/shadow').read()", HIDDEN),
    ("write to /proc/sys", "open('/proc/sys/kernel/hostname', 'w').write('x')", FIXED),
    ("write to /proc/self/oom_score_adj", "open('/proc/self/oom_score_adj', 'w').write('-1000')", FIXED),
    ("trigger SysRq", "open('/proc/sysrq-trigger', 'w').write('c')", HIDDEN),
    ("read the disk itself", "open('/dev/sda', 'rb').read(1); open('/dev/vda', 'rb').read(1)", HIDDEN),
    ("read memory of the machine", "open('/dev/mem', 'rb').read(1)", HIDDEN),
    ("read /proc/kcore", "open('/proc/kcore', 'rb').read(1)", HIDDEN),
    ("make a device", "import os, stat; os.mknod('x', stat.S_IFBLK | 0o600, os.makedev(8, 0))", DENIED),
    ("a program that runs as root", "import os; open('x', 'w').close(); os.chmod('x', 0o4755)", DENIED),
    ("give away a file", "import os; open('x', 'w').close(); os.chown('x', 12345, 12345)", DENIED),
    (
        "temporary folders of other runs",
        "
import os
seen = []
for base in ('/tmp', '/var/tmp', os.path.dirname(os.path.dirname(os.getcwd()))):
    try: seen += [name for name in os.listdir(base) if name.startswith('candor-')]
    except OSError: pass
context['got'] = 'nothing' if not seen else str(seen)
",
        NOTHING,
    ),
    (
        "put another Python in its place",
        "
import subprocess, sys
open('python3', 'w').write('#!/bin/sh\\necho mine')
try:
    subprocess.run(['./python3']); context['got'] = 'ran'
except PermissionError:
    context['got'] = 'nothing'
",
        NOTHING,
    ),
    (
        "delete what it was started from",
        "
import os, sys
for path in (sys.executable, '/proc/self/exe', os.path.realpath(sys.executable)):
    try: os.remove(path); context['got'] = path
    except OSError: context.setdefault('got', 'nothing')
",
        NOTHING,
    ),
    (
        "what is open already",
        "
import os
extra = []
for fd in range(3, 300):
    try: os.fstat(fd); extra.append(fd)
    except OSError: pass
context['got'] = 'nothing' if not extra else str(extra)
",
        NOTHING,
    ),
    (
        "stdin",
        "import sys, os; context['got'] = 'nothing' if sys.stdin.read() == '' and os.read(0, 9) == b'' else 'x'",
        NOTHING,
    ),
];

pub(crate) const NETWORK: Table = &[
    ("TCP over IPv4", "import socket; socket.create_connection(('127.0.0.1', context['tcp4']))", DENIED),
    ("TCP over IPv6", "import socket; socket.create_connection(('::1', context['tcp6']))", DENIED),
    ("UDP", "import socket; socket.socket(2, 2).sendto(b'x', ('127.0.0.1', context['udp']))", DENIED),
    (
        "the name of another machine",
        "import socket; socket.getaddrinfo('example.org', 80)",
        Told::Raised(&["gaierror", "PermissionError"]),
    ),
    (
        "a page",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:%d' % context['tcp4'])",
        Told::Raised(&["URLError"]),
    ),
    ("to listen", "import socket; socket.socket().bind(('127.0.0.1', 0))", DENIED),
    (
        "a socket with a path",
        "import socket; socket.socket(socket.AF_UNIX).connect(context['service'])",
        DENIED,
    ),
    (
        "a socket with a hidden name",
        "import socket; socket.socket(socket.AF_UNIX).connect('\\0' + context['abstract'])",
        DENIED,
    ),
    ("a raw socket", "import socket; socket.socket(2, socket.SOCK_RAW, 1)", DENIED),
    ("packets", "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)", DENIED),
    ("netlink", "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", DENIED),
    (
        "a virtual machine's socket",
        "import socket; socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
        DENIED,
    ),
    (
        "a socket that a child makes",
        "
import subprocess
shell = subprocess.run(['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/%d' % context['tcp4']], capture_output=True)
context['got'] = 'nothing' if shell.returncode else 'reached'
",
        NOTHING,
    ),
];

pub(crate) const PROCESSES: Table = &[
    ("the environment of the first process", "open('/proc/1/environ', 'rb').read()", HIDDEN),
    ("the environment of its host", "open('/proc/%d/environ' % context['host'], 'rb').read()", HIDDEN),
    ("the command line of its host", "open('/proc/%d/cmdline' % context['host'], 'rb').read()", HIDDEN),
    ("the memory of its keeper", "import os; open('/proc/%d/mem' % os.getppid(), 'rb').read(1)", HIDDEN),
    (
        "its own environment",
        "
import os
given = {'PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_CTYPE'}
try: raw = {line.split('=')[0] for line in open('/proc/self/environ').read().split('\\0') if line}
except OSError: raw = set()
odd = (set(os.environ) | raw) - given
context['got'] = 'nothing' if not odd else str(odd)
",
        NOTHING,
    ),
    (
        "variables of its host",
        "
import os
context['got'] = 'nothing' if not any(name.startswith('CARGO') for name in os.environ) else 'some'
",
        NOTHING,
    ),
    (
        "the list of processes",
        "
import os
try: seen = [pid for pid in os.listdir('/proc') if pid.isdigit()]
except OSError: seen = []
context['got'] = 'nothing' if not seen or len(seen) < 5 else str(seen)
",
        NOTHING,
    ),
    (
        "a signal to its host",
        "
import os
try: os.kill(context['host'], 9); context['got'] = 'sent'
except (PermissionError, ProcessLookupError): context['got'] = 'nothing'
",
        NOTHING,
    ),
    (
        "a signal to its parent",
        "
import os
try: os.kill(os.getppid() or 1, 9); context['got'] = 'sent'
except (PermissionError, ProcessLookupError): context['got'] = 'nothing'
",
        NOTHING,
    ),
    (
        "a signal to everyone",
        "
import os
try: os.kill(-1, 9); context['got'] = 'nothing'
except (PermissionError, ProcessLookupError): context['got'] = 'nothing'
",
        NOTHING,
    ),
    (
        "limits of its host",
        "import resource; resource.prlimit(context['host'], resource.RLIMIT_CPU, (1, 1))",
        Told::Raised(&["PermissionError", "ProcessLookupError"]),
    ),
    (
        "higher limits for itself",
        "
import resource
refused = 0
for what in (resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
    try: resource.setrlimit(what, (2**40, 2**40))
    except (ValueError, OSError): refused += 1
context['got'] = 'nothing' if refused == 4 else str(refused)
",
        NOTHING,
    ),
    (
        "to be another user",
        "
import os
for change in (lambda: os.setuid(1234), lambda: os.setgid(1234), lambda: os.setgroups([1])):
    try: change(); context['got'] = 'changed'
    except OSError: context.setdefault('got', 'nothing')
",
        NOTHING,
    ),
    (
        "programs that run as root",
        "
import shutil, subprocess
context['got'] = 'nothing'
for command in (['su', '-c', 'id'], ['mount', '-t', 'tmpfs', 'x', '/tmp'], ['unshare', '-r', 'true']):
    if shutil.which(command[0]) and subprocess.run(command, capture_output=True, stdin=-3).returncode == 0:
        context['got'] = command[0]
",
        NOTHING,
    ),
    ("kill itself", "import os; os.kill(os.getpid(), 9)", Told::Killed(9)),
    ("crash", "import ctypes; ctypes.string_at(0)", Told::Killed(11)),
    (
        "abort and leave a core",
        "import os, resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); os.abort()",
        Told::Killed(6),
    ),
    ("leave without a word", "import os; os._exit(0)", Told::NoResult),
    ("become another program", "import os; os.execv('/bin/true', ['true'])", Told::NoResult),
    (
        "a session of its own",
        "import os\nif os.fork() == 0:\n os.setsid()\n while True: pass\nos.wait()",
        Told::TimedOut,
    ),
];

pub(crate) const CALLS: Table = &[
    ("calls that lead out", "
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
calls = dict(ptrace=101, process_vm_readv=310, process_vm_writev=311, mount=165, umount2=166, pivot_root=155,
    chroot=161, unshare=272, setns=308, keyctl=250, add_key=248, request_key=249, bpf=321, perf_event_open=298,
    io_uring_setup=425, io_uring_enter=426, memfd_create=319, memfd_secret=447, userfaultfd=323, init_module=175,
    finit_module=313, delete_module=176, kexec_load=246, reboot=169, swapon=167, sethostname=170, settimeofday=164,
    clock_settime=227, syslog=103, open_by_handle_at=304, name_to_handle_at=303, fanotify_init=300, kcmp=312,
    pidfd_getfd=438, process_madvise=440, quotactl=179, acct=163, iopl=172, ioperm=173, shmget=29, semget=64,
    msgget=68, mq_open=240, open_tree=428, move_mount=429, fsopen=430, fspick=433, mount_setattr=442, vhangup=153)
allowed = []
if platform.machine() == 'x86_64':
    for name, number in calls.items():
        for way in (0, 0x40000000):
            ctypes.set_errno(0)
            if libc.syscall(number | way, -1, -1, -1, -1, -1) != -1 or ctypes.get_errno() != (38 if way else 1):
                allowed.append((name, way, ctypes.get_errno()))
context['got'] = 'nothing' if not allowed else str(allowed)
", NOTHING),
    ("new worlds by a flag", "
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
context['got'] = 'nothing'
if platform.machine() == 'x86_64':
    for flag in (0x10000000, 0x20000000, 0x40000000, 0x20000, 0x8000000, 0x4000000, 0x2000000):
        if libc.syscall(56, flag | 17, 0, 0, 0, 0) != -1: context['got'] = hex(flag)
    if libc.syscall(435, 0, 0) != -1 or ctypes.get_errno() != 38: context['got'] = 'clone3'
", NOTHING),
    ("another personality", "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.personality(0x0400000 | 0x0040000)
try: open(context['secret']).read(); context['got'] = 'read'
except OSError: context['got'] = 'nothing'
", NOTHING),
    ("privileges back", "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
gained = libc.prctl(38, 0, 0, 0, 0) == 0 or libc.prctl(47, 2, 21, 0, 0) == 0
try: lines = [line for line in open('/proc/self/status') if line.startswith('CapEff')]
except OSError: lines = []
powers = [int(line.split()[1], 16) & ~2 for line in lines]
context['got'] = 'nothing' if not gained and not any(powers) else str((gained, powers))
", NOTHING),
    ("a filter less", "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(22, 0, 0, 0, 0)
import socket
try: socket.socket(); context['got'] = 'socket'
except PermissionError: context['got'] = 'nothing'
", NOTHING),
    ("mount", "import ctypes, os; l = ctypes.CDLL(None, use_errno=True)\n\
               if l.mount(b'x', b'/tmp', b'tmpfs', 0, None): raise OSError(ctypes.get_errno(), 'mount')", DENIED),
    ("trace its parent", "import ctypes, os; l = ctypes.CDLL(None, use_errno=True)\n\
               if l.ptrace(16, os.getppid() or 1, 0, 0): raise OSError(ctypes.get_errno(), 'ptrace')", DENIED),
    ("change root", "import os; os.chroot('/')", DENIED),
];

pub(crate) const LIMITS: Table = &[
    ("a memory bomb", "x = []\nwhile True: x.append(bytearray(10_000_000))", Told::Limit(CodeLimit::Memory)),
    ("one huge block", "x = bytearray(2**40)", Told::Limit(CodeLimit::Memory)),
    (
        "memory of several processes",
        "
import os, time
for _ in range(4):
    if os.fork() == 0:
        x = bytearray(100_000_000)
        time.sleep(600)
time.sleep(600)
",
        Told::Limit(CodeLimit::Memory),
    ),
    ("a fork bomb", "import os\nwhile True: os.fork()", Told::Limit(CodeLimit::Processes)),
    (
        "a fork bomb that runs away",
        "
import os, time
while True:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(600)
        os._exit(0)
",
        Told::Limit(CodeLimit::Processes),
    ),
    (
        "one huge file",
        "f = open('x', 'wb')\nwhile True: f.write(bytes(1_000_000)); f.flush()",
        Told::Limit(CodeLimit::Disk),
    ),
    (
        "many files",
        "
n = 0
while True:
    n += 1
    with open('x%d' % n, 'wb') as f: f.write(bytes(1_000_000))
",
        Told::Limit(CodeLimit::Disk),
    ),
    (
        "many empty files",
        // Several at work, so that none runs out of time on the processor before.
        "
import os
os.fork(), os.fork()
n = 0
while True:
    n += 1
    open('x%d_%d' % (os.getpid(), n), 'wb').close()
",
        Told::Limit(CodeLimit::Disk),
    ),
    ("time on the processor", "while True: pass", Told::Limit(CodeLimit::Cpu)),
    (
        "time on the processor, deaf",
        "
import signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True: pass
",
        Told::Limit(CodeLimit::Cpu),
    ),
    (
        "sleep, deaf",
        "
import signal, time
for n in range(1, 64):
    try: signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: time.sleep(1)
",
        Told::TimedOut,
    ),
    ("wait for input that never comes", "import threading; threading.Event().wait()", Told::TimedOut),
    ("a result without end", "context['x'] = ['x' * 1000] * 100_000", Told::Limit(CodeLimit::Output)),
    (
        "threads",
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(60,)).start()",
        Told::Raised(&["RuntimeError"]),
    ),
];
