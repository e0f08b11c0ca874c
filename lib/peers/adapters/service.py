"""What the adapters in Python share: the service of one problem on the socket that is standard input, as adapters/protocol.hpp
describes it. Built into the program in front of each of them, and started as

    python3 -c SCRIPT version             prints the version of the other program
    python3 -c SCRIPT solve NAME OPTION…  serves one problem
"""

import ctypes
import os
import struct
import sys
import time

SERVICE = 0  # the socket
REQUEST = struct.Struct("=qqqdqqq")
FRAME = struct.Struct("=iiqqdd")
READY, ITERATE, END, FAILURE = 1, 2, 3, 4


def receive(size):
    """`size` bytes from the program; ends the process when the program has closed its end."""
    data = bytearray()
    while len(data) < size:
        piece = os.read(SERVICE, min(size - len(data), 1 << 20))
        if not piece:
            os._exit(0)
        data += piece
    return bytes(data)


def send(kind, iterations=0, info=0, seconds=0.0, error=0.0, payload=b""):
    data = memoryview(FRAME.pack(kind, len(payload), iterations, info, seconds, error) + payload)
    try:
        while data:
            data = data[os.write(SERVICE, data):]
    except BrokenPipeError:
        os._exit(0)


def make_pages_resident(libraries):
    """Maps what libraries with these words in their names have on disk or in data, as ccpbench does for its own methods before it
    times them."""
    populate_read, populate_write = 22, 23
    libc = ctypes.CDLL(None)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        mappings = [line.split(maxsplit=5) for line in maps]
    for where, rights, *_, file in (mapping for mapping in mappings if len(mapping) == 6):
        if any(part in file for part in libraries) and rights[0] == "r":
            begin, end = (int(address, 16) for address in where.split("-"))
            libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin),
                         populate_write if rights[1] == "w" else populate_read)


class Service:
    """Reads the problem, then runs solve() between READY and the end. Derived classes set `libraries` (for make_pages_resident)
    and define prepare(), solve(), and observable, false where each iterate is a whole run from the start."""

    libraries, observable = (), True

    def __init__(self, name, settings):
        import numpy

        self.numpy, self.name, self.settings = numpy, name, settings

    def read_problem(self):
        np = self.numpy
        (self.contacts, blocks, self.max_iterations, self.tolerance, self.velocities, mass_entries,
         jacobian_entries) = REQUEST.unpack(receive(REQUEST.size))

        def array(kind, count):
            return np.frombuffer(receive(count * np.dtype(kind).itemsize), kind)

        def entries(count):
            return array("i4", count), array("i4", count), array("f8", count)

        contacts = self.contacts
        self.row_start, self.column = array("i4", contacts + 1), array("i4", blocks)
        self.blocks, self.q, self.mu = array("f8", 9 * blocks), array("f8", 3 * contacts), array("f8", contacts)
        self.start = array("f8", 3 * contacts)
        if self.velocities:
            self.mass, self.jacobian = entries(mass_entries), entries(jacobian_entries)
            self.momentum = array("f8", self.velocities)

    def prepare(self):
        """Turns the problem into what the other program takes."""

    def timed(self, call):
        """(what `call` returns, how long it took)."""
        began = time.perf_counter()
        result = call()
        return result, time.perf_counter() - began

    def repeated_runs(self, run):
        """Runs anew at 1e-1, 1e-2, …; each is an iterate whose time is that of its whole run.

        run(tolerance) returns (info, iterations, error, seconds, reaction)."""
        tolerance, longest = 1e-1, 0.0
        while True:
            tolerance = max(tolerance, self.tolerance)
            info, iterations, error, seconds, reaction = run(tolerance)
            longest = max(longest, seconds)
            last = info != 0 or tolerance <= self.tolerance
            send(END if last else ITERATE, iterations, info, longest, error, reaction.tobytes())
            if last:
                return
            receive(1)
            tolerance *= 0.1

    def serve(self):
        self.read_problem()
        self.prepare()
        make_pages_resident(self.libraries)
        send(READY, info=0 if self.observable else 1)
        receive(1)
        self.solve()


def main(service, version, arguments):
    if arguments[0] == "version":
        print(version())
        return
    try:
        service(arguments[1], dict(word.split("=", 1) for word in arguments[2:])).serve()
    except Exception as error:  # whatever it is, the program is to hear of it
        text = " ".join(f"{type(error).__name__}: {error}".split())
        send(FAILURE, info=1 if isinstance(error, MemoryError) else 0, payload=text.encode()[:1000])
    sys.stderr.flush()
    os._exit(0)  # without the destructors of the libraries, which may fail
