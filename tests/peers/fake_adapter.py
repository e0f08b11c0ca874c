#!/usr/bin/env python3
"""Stands in for an adapter of the program $FAKE_PROGRAM, or for the Python that runs one: misbehaves as $FAKE_ADAPTER says.
Called as NAME -c SCRIPT … or as NAME …"""

import os
import struct
import sys
import time

GREETING, REQUEST, FRAME = struct.Struct("=8siiii"), struct.Struct("=8sii11q"), struct.Struct("=iiqqdd")
READY, ITERATE, END, FAILURE = 1, 2, 3, 4
ROLE = os.environ.get("FAKE_ADAPTER", "absent")
PROGRAM = os.environ.get("FAKE_PROGRAM", "siconos")
WORDS = sys.argv[3:] if sys.argv[1] == "-c" else sys.argv[1:]


def receive(size):
    data = b""
    while len(data) < size:
        piece = os.read(0, size - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def send(kind, iterations=0, info=0, seconds=0.0, error=0.0, payload=b""):
    os.write(0, FRAME.pack(kind, len(payload), iterations, info, seconds, error) + payload)


if WORDS[0] == "version":
    if ROLE == "absent":
        sys.exit(f"ModuleNotFoundError: No module named '{PROGRAM}'")
    print(PROGRAM, "0.0 (fake)")
    sys.exit(0)
if "FAKE_PID" in os.environ:
    with open(os.environ["FAKE_PID"], "w") as file:
        file.write(str(os.getpid()))
if ROLE == "exit":
    print("noise\nno licence\n", file=sys.stderr)
    sys.exit(7)
if ROLE == "deaf":
    time.sleep(60)
os.write(0, GREETING.pack(b"ccpbench", 0x01020304, 1, 2, 0) + b"{}")
_, _, _, contacts, rows, velocities, entries, mass, jacobian, compliance, settings, iterations, _, _ = REQUEST.unpack(receive(REQUEST.size))
receive(8 * contacts + 8 * contacts)
if entries >= 0:
    receive(4 * (rows + 1) + 12 * entries + 8 * rows)
if velocities:
    receive(4 * (2 * velocities + rows + 3) + 12 * (mass + jacobian + compliance) + 8 * velocities + 8 * rows)
receive(8 * rows + 8 * settings)
zero, pushed = bytes(24 * contacts), struct.pack("=3d", 0.5, 0.0, 0.0) * contacts
if ROLE == "nonsense":
    os.write(0, b"hello, this is no frame of the protocol at all....")
    time.sleep(60)
send(READY)
receive(1)
if ROLE == "short payload":
    send(ITERATE, payload=b"12345678")
elif ROLE == "noise":
    reached = []
    for descriptor in range(3, 64):  # the socket is 0; none of the program's own is to be here
        try:
            os.write(descriptor, b"not for you")
            reached.append(descriptor)
        except OSError:
            pass
    print("x" * 1000000, flush=True)
    print("y" * 1000000, file=sys.stderr, flush=True)
    os.close(1)
    os.close(2)
    send(END, 1 + len(reached), 5, 0.5, 1e-3, pushed)
elif ROLE == "crash":
    send(ITERATE, 1, 0, 0.5, 0.1, pushed)
    receive(1)
    os.kill(os.getpid(), 11)
elif ROLE == "hang":
    send(ITERATE, 1, 0, 0.125, 0.1, pushed)
    receive(1)
    time.sleep(60)
elif ROLE == "nan":
    send(ITERATE, 1, 0, 0.5, 0.1, struct.pack("=3d", *[float("nan")] * 3) * contacts)
elif ROLE == "lie":
    send(END, 3, 0, 0.5, 1e-20, pushed)
elif ROLE == "gives up":
    send(END, 3, 5, 0.5, 1e-3, pushed)
elif ROLE == "out of iterations":
    send(END, iterations, 1, 0.5, 1e-3, pushed)
elif ROLE == "no memory":
    send(FAILURE, info=1, payload=b"MemoryError: ")
elif ROLE == "refuses":
    send(FAILURE, payload=b"RuntimeError: not implemented yet")
elif ROLE == "slow clock":
    for k in range(1, 4):
        send(ITERATE, k, 0, 0.25 * k, 0.1 / k, pushed)
        receive(1)
    send(END, 3, 1, 0.75, 0.1, pushed)
time.sleep(60)
