"""Put a worker back to how it was before its job, instead of ending it. An experiment: the setting `sandbox.restore`.

The idea is that of Groundhog (EuroSys '23). That nothing of a job is left has three reasons:

- The filter of such a worker (`computing.txt`) lets nothing through that has an effect on anything but the worker's own
  memory, its channel and its output. A job that asks for more ends the worker and is run again in an ordinary one.
- Its mappings are those of before: their list reads the same, and the kernel still watches each of them, which it would
  not do for one that was taken away and made anew.
- All pages that were written to, as the kernel has noted (`UFFD_FEATURE_WP_ASYNC`, Linux 6.7), get back what was in
  them, and the registers what they held. No signal waits.

Nor is there anything to be learned from how long it takes to touch a page: all memory is there from the beginning, and
which pages cost the fault of a first write is the same for every job.

Whatever is not as expected ends the worker. The channel and the output are the host's to look at.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import operator
import os
import signal
import struct
import sys
from array import array
from collections.abc import Iterable, Iterator

from ._state import high

_MACHINE = os.uname().machine
# Numbers on x86_64 and on aarch64.
_USERFAULTFD, _PTRACE, _READV, _WRITEV = {
    "x86_64": (323, 101, 310, 311),
    "aarch64": (282, 117, 270, 271),
}.get(_MACHINE, (-1, -1, -1, -1))

_UFFD_USER_MODE_ONLY = 1
_UFFDIO_API, _UFFDIO_REGISTER, _UFFDIO_WRITEPROTECT = 0xC018AA3F, 0xC020AA00, 0xC018AA06
_UFFD_API = 0xAA
# Write protection, also where no page is yet, and lifted by the kernel itself at the first write.
_FEATURES = 1 << 0 | 1 << 13 | 1 << 15
_REGISTER_WP = 2

_PAGEMAP_SCAN = 0xC0606610
_SCAN = struct.Struct("=12Q")
_PROTECT, _CHECK_WATCHED = 1, 2
_WRITTEN = 2
# Pieces of memory in one answer, and in one copy; a job that scatters its writes over more is not worth putting back.
_MOST_PIECES = 1024
# So many groups of pages are protected one by one; for more, it is less to protect all of them.
_MOST_GROUPS = 64
# Bits in which the addresses of a worker's memory and of its snapshot differ, from this one on: a program without
# position of its own lies at the lower end of the addresses, libraries at the upper one, and both find room so.
_FIRST_BIT = 38
_MOST_PLACES = 256
_MAP_NORESERVE, _MAP_FIXED_NOREPLACE = 0x4000, 0x100000

_SEIZE, _INTERRUPT, _DETACH, _GETREGSET, _SETREGSET, _PEEKSIGINFO = 0x4206, 0x4207, 17, 0x4204, 0x4205, 0x4209
_SHARED = 1
# The general registers, then those for floating point: on x86_64 the whole XSAVE area, on aarch64 the vectors and the
# pointer to what belongs to the thread.
_REGISTERS = {"x86_64": (1, 0x202), "aarch64": (1, 2, 0x401)}.get(_MACHINE, ())
# Bytes for one set of them; AMX needs 11,000.
_ROOM = 1 << 14
# Scalable vectors and matrices are registers that this does not put back.
_HWCAP_SVE, _HWCAP2_SME = 1 << 22, 1 << 23
_AT_HWCAP, _AT_HWCAP2 = 16, 26
# Mappings of the kernel's own, which are not memory.
_SPECIAL = ("[vvar]", "[vdso]", "[vsyscall]", "[vvar_vclock]")
# Megabytes that a job finds mapped: with a new mapping at its end, its worker is not put back.
_HEAP, _OBJECTS = 4, 2
ROOM = (_HEAP + _OBJECTS) << 20
_ARENA = 1 << 20
_SMALL = 512
_PAGE = mmap.PAGESIZE

_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.getauxval.restype = ctypes.c_ulong
_libc.malloc.restype = ctypes.c_void_p
_libc.free.argtypes = (ctypes.c_void_p,)
_libc.mmap.restype = ctypes.c_ulong
_libc.mmap.argtypes = (ctypes.c_ulong, ctypes.c_ulong, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
_libc.munmap.argtypes = (ctypes.c_ulong, ctypes.c_ulong)
_libc.madvise.argtypes = (ctypes.c_ulong, ctypes.c_ulong, ctypes.c_int)


def check() -> None:
    """Raise an `OSError` where this cannot be had: a kernel without it, or registers that are not known here."""
    more = _libc.getauxval(_AT_HWCAP) & _HWCAP_SVE or _libc.getauxval(_AT_HWCAP2) & _HWCAP2_SME
    if not _REGISTERS or (_MACHINE == "aarch64" and more):
        raise OSError(errno.ENOSYS, "this processor has registers that are not put back")
    os.close(watch())


def make_room() -> list[bytes]:
    """In the zygote: have as much mapped as most jobs need; what is returned keeps it so."""
    for block in [_libc.malloc(_ARENA) for _ in range(_HEAP)]:  # all before any is freed: none is used twice
        _libc.free(block)
    taken = [bytes(_SMALL - sys.getsizeof(b"")) for _ in range((_OBJECTS << 20) // _SMALL)]
    # An arena is given back when nothing is in it: two objects of each stay.
    return taken[:: _ARENA // _SMALL // 2]


def watch() -> int:
    """In the worker, before it is confined: return a descriptor by which its writing to memory can be watched."""
    descriptor = _call(_USERFAULTFD, os.O_CLOEXEC | _UFFD_USER_MODE_ONLY)
    fcntl.ioctl(descriptor, _UFFDIO_API, bytearray(struct.pack("=3Q", _UFFD_API, _FEATURES, 0)))
    return descriptor


class Kept:
    """A worker as it was before its first job, held by the zygote."""

    def __init__(self, proc: int, name: str, pid: int, watch: int) -> None:
        """*name* is the process in *proc*, *pid* to us; *watch* is what it made of its memory."""
        self._pid = pid
        # What a job wrote to is no business of the workers that are forked later.
        self._found = mmap.mmap(-1, 24 * _MOST_PIECES)
        self._found.madvise(mmap.MADV_DONTFORK)
        self._snapshot = _Snapshot()
        # Pages that every job writes to: they are put back each time, and never protected.
        self._always: set[int] = set()
        self._always_pieces = array("Q"), array("Q")
        self._descriptors = [high(watch)]
        try:
            for file in ("maps", "pagemap"):
                self._descriptors.append(high(os.open(f"{name}/{file}", os.O_RDONLY, dir_fd=proc)))
            self._watch, self._maps, self._pagemap = self._descriptors
            self._take_in()
        except BaseException:
            self.close()
            raise

    def _take_in(self) -> None:
        if not self._stop():
            raise ChildProcessError(errno.ECHILD, "the worker ended before it was ready")
        self._layout = self._read_layout()
        self._spans, writable = self._watch_all()
        self._snapshot.make(writable)
        starts, ends = (array("Q", side) for side in zip(*writable, strict=True))
        self._copy(_READV, starts, ends)
        self._registers = [(kind, *self._read_registers(kind)) for kind in _REGISTERS]
        self._protect()
        _ptrace(_DETACH, self._pid)

    def put_back(self) -> bool:
        """Undo all that happened since the beginning; False if that cannot be done, and the worker has to end."""
        if not self._stop() or self._read_layout() != self._layout:
            return False
        pieces = self._written()
        if pieces is None:
            return False
        self._copy(_WRITEV, *pieces)
        # After all of it is put back: what is protected no longer counts as written.
        self._protect_again(*pieces)
        self._go_on()
        return True

    def learn(self) -> None:
        """Note what the worker has written to since the beginning, as it has had a job of ours; put it back."""
        if not self._stop():
            raise ChildProcessError(errno.ECHILD, "the worker ended in its rehearsal")
        pieces = self._written()
        if pieces is None:
            raise OSError(errno.E2BIG, "the rehearsal writes to too many places")
        self._always_pieces = self._snapshot.only_known(*pieces)
        self._always = _pages(zip(*self._always_pieces, strict=True))
        self._copy(_WRITEV, *self._always_pieces)
        self._go_on()

    def _written(self) -> tuple[array[int], array[int]] | None:
        """Return where the pieces begin and end that were written to, None if there are too many."""
        starts, ends = array("Q"), array("Q")
        for start, end in self._spans:
            number = self._scan(start, end, 0, ctypes.addressof(ctypes.c_char.from_buffer(self._found)))
            if number == _MOST_PIECES:
                return None
            with memoryview(self._found).cast("Q") as room:
                starts.extend(room[: 3 * number : 3])
                ends.extend(room[1 : 3 * number : 3])
        return starts, ends

    def _go_on(self) -> None:
        for kind, _, vector in self._registers:
            _ptrace(_SETREGSET, self._pid, kind, ctypes.addressof(vector))
        _ptrace(_DETACH, self._pid)

    def close(self) -> None:
        """Let go of a worker that has ended."""
        self._snapshot.close()
        self._found.close()
        for descriptor in self._descriptors:
            os.close(descriptor)

    def _stop(self) -> bool:
        """Have the kernel hold the worker; False if it ended, or was held for something else."""
        _ptrace(_SEIZE, self._pid)
        _ptrace(_INTERRUPT, self._pid)
        # Who has ended is left for whoever reaps the dead.
        state = os.waitid(os.P_PID, self._pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if state is None or state.si_code != os.CLD_TRAPPED or state.si_status & 0xFF != signal.SIGTRAP:
            return False
        # The stop comes before a signal that is on its way, such as that of a call which is not allowed.
        return not any(self._has_signal(flags) for flags in (0, _SHARED))

    def _has_signal(self, flags: int) -> bool:
        asked = bytearray(struct.pack("=QIi", 0, flags, 1))
        room = bytearray(128)
        addresses = [ctypes.addressof(ctypes.c_char.from_buffer(one)) for one in (asked, room)]
        return _call(_PTRACE, _PEEKSIGINFO, self._pid, *addresses) > 0

    def _read_layout(self) -> bytes:
        os.lseek(self._maps, 0, os.SEEK_SET)
        parts = []
        while part := os.read(self._maps, 1 << 16):
            parts.append(part)
        return b"".join(parts)

    def _watch_all(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Have all mappings watched; return what they span, and those that a job can write to."""
        spans: list[tuple[int, int]] = []
        writable: list[tuple[int, int]] = []
        apart = True
        for line in self._layout.decode().splitlines():
            addresses, rights, *_, path = line.split(maxsplit=5) if line.count(" ") > 4 else (*line.split(), "")
            start, end = (int(address, 16) for address in addresses.split("-"))
            if path.strip() in _SPECIAL or rights == "r--s":  # which nobody can write to
                apart = True
                continue
            asked = struct.pack("=4Q", start, end - start, _REGISTER_WP, 0)
            fcntl.ioctl(self._watch, _UFFDIO_REGISTER, bytearray(asked))
            first = start if apart else spans.pop()[0]
            spans.append((first, end))
            apart = False
            if rights == "rw-p":
                writable.append((start, end))
            elif rights[1] == "w":
                raise OSError(0, f"a mapping in a worker that others can see: {line}")
        return spans, writable

    def _copy(self, call: int, starts: array[int], ends: array[int]) -> None:
        """Copy pieces of memory between the worker and the snapshot."""
        sizes = array("Q", map(operator.sub, ends, starts))
        done, wanted = self._snapshot.copy(call, self._pid, starts, sizes), sum(sizes)
        if done != wanted:
            # Pages of files count as written when they are there for the first time. No job can write to those that
            # are not in the snapshot, so nothing is to be done for them.
            starts, ends = self._snapshot.only_known(starts, ends)
            sizes = array("Q", map(operator.sub, ends, starts))
            if self._snapshot.copy(call, self._pid, starts, sizes) != sum(sizes):
                raise OSError(errno.EFAULT, "memory of a worker could not be reached")

    def _protect(self) -> None:
        """Have the kernel count from here which pages are written to."""
        for start, end in self._spans:
            self._scan(start, end, _PROTECT, 0)

    def _protect_again(self, starts: array[int], ends: array[int]) -> None:
        """Protect what few jobs write to; what all of them do costs less to put back than to note."""
        # Most pieces are those of every job as a whole, and need not be taken apart.
        others = set(zip(starts, ends, strict=True)).difference(zip(*self._always_pieces, strict=True))
        groups = list(_groups(sorted(_pages(others) - self._always)))
        if len(groups) <= _MOST_GROUPS:
            for first, last in groups:
                asked = struct.pack("=3Q", first * _PAGE, (last - first) * _PAGE, _PROTECT)
                fcntl.ioctl(self._watch, _UFFDIO_WRITEPROTECT, bytearray(asked))
        else:
            self._protect()
            self._copy(_WRITEV, *self._always_pieces)  # which takes the protection from them

    def _scan(self, start: int, end: int, flags: int, room: int) -> int:
        """Look for pages that were written to, or that are there for the first time; an error if one is not watched."""
        number = _MOST_PIECES if room else 0
        asked = (_SCAN.size, flags | _CHECK_WATCHED, start, end, 0, room, number, 0, 0, _WRITTEN, 0, _WRITTEN)
        return int(fcntl.ioctl(self._pagemap, _PAGEMAP_SCAN, bytearray(_SCAN.pack(*asked))))

    def _read_registers(self, kind: int) -> tuple[bytearray, ctypes.Array[ctypes.c_uint64]]:
        room = bytearray(_ROOM)
        address = ctypes.addressof(ctypes.c_char.from_buffer(room))
        vector = (ctypes.c_uint64 * 2)(address, _ROOM)
        _ptrace(_GETREGSET, self._pid, kind, ctypes.addressof(vector))
        return room, vector


class _Snapshot:
    """What was in the writable memory of a worker, each page where its address with a few bits turned says."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []
        self._mapped: list[tuple[int, int]] = []
        self._turned = 0

    def make(self, ranges: list[tuple[int, int]]) -> None:
        """Find room for what is in *ranges* there."""
        self._ranges = ranges
        for bits in range(1, _MOST_PLACES):
            self._turned = bits << _FIRST_BIT
            if self._map():
                return
        # As a kernel answers that has fewer addresses than these.
        raise OSError(errno.EINVAL, "no room for the memory of a worker")

    def _map(self) -> bool:
        mapped: list[tuple[int, int]] = []
        for start, end in self._ranges:
            place = start ^ self._turned
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED_NOREPLACE | _MAP_NORESERVE
            rights = mmap.PROT_READ | mmap.PROT_WRITE
            whole = ((end - 1) ^ self._turned) - place == end - 1 - start
            if not whole or _libc.mmap(place, end - start, rights, flags, -1, 0) != place:
                _unmap(mapped)
                return False
            mapped.append((place, end - start))
            # It holds random numbers of this worker's: the next one is not to inherit it.
            _libc.madvise(place, end - start, mmap.MADV_DONTFORK)
        self._mapped = mapped
        return True

    def copy(self, call: int, pid: int, starts: array[int], sizes: array[int]) -> int:
        """Copy these pieces in or out; return the bytes that were."""
        theirs, ours = array("Q", bytes(16 * len(starts))), array("Q", bytes(16 * len(starts)))
        theirs[::2], theirs[1::2] = starts, sizes
        ours[::2], ours[1::2] = array("Q", map(self._turned.__xor__, starts)), sizes
        done = 0
        for first in range(0, len(starts), _MOST_PIECES):
            many = min(_MOST_PIECES, len(starts) - first)
            here, there = (vector.buffer_info()[0] + 16 * first for vector in (ours, theirs))
            try:
                done += _call(call, pid, here, many, there, many, 0)
            except OSError as error:
                if error.errno != errno.EFAULT:
                    raise
        return done

    def only_known(self, starts: array[int], ends: array[int]) -> tuple[array[int], array[int]]:
        """Return what of these pieces is in here; the kernel joins what touches, also across mappings."""
        parts = [
            (max(start, low), min(end, high))
            for start, end in zip(starts, ends, strict=True)
            for low, high in self._ranges
            if start < high and low < end
        ]
        return array("Q", (start for start, _ in parts)), array("Q", (end for _, end in parts))

    def close(self) -> None:
        """Forget it."""
        _unmap(self._mapped)


def _pages(pieces: Iterable[tuple[int, int]]) -> set[int]:
    return {page for start, end in pieces for page in range(start // _PAGE, end // _PAGE)}


def _groups(pages: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first page of each row of neighbours and the one behind it."""
    first = last = -1
    for page in pages:
        if page != last:
            if first >= 0:
                yield first, last
            first = page
        last = page + 1
    if first >= 0:
        yield first, last


def _unmap(places: list[tuple[int, int]]) -> None:
    for place, size in places:
        _libc.munmap(place, size)


def _ptrace(request: int, pid: int, address: int = 0, data: int = 0) -> None:
    _call(_PTRACE, request, pid, address, data)


def _call(number: int, *arguments: int) -> int:
    answer = int(_libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)))
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer
