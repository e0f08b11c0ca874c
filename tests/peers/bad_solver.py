#!/usr/bin/env python3
"""A solver that speaks the public protocol byte by byte, with the fault that its argument names: projected Gauss–Seidel on 3D contacts."""

import os
import random
import struct
import subprocess
import sys
import time

FAULT = sys.argv[1] if len(sys.argv) > 1 else "none"
READY, ITERATE, END, FAILURE = 1, 2, 3, 4
SETTING = ('{"name": "omega", "default": 1.0, "above": 0, "max": 1.5, "meaning": "relaxation"}' if FAULT != "bad description"
           else '{"name": "omega", "default": 3.0, "max": 1.5}')
TEXT = f'{{"name": "{FAULT}", "models": ["ncp"], "settings": [{SETTING}], "columns": [{{"name": "sweeps", "unit": "", "meaning": "sweeps"}}]}}'


def receive(size):
    data = b""
    while len(data) < size:
        piece = os.read(0, size - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def array(kind, count):
    return list(struct.unpack(f"={count}{kind}", receive(struct.calcsize(f"={count}{kind}"))))


def send(kind, done=0, info=0, seconds=0.0, numbers=()):
    payload = struct.pack(f"={len(numbers)}d", *numbers)
    os.write(1, struct.pack("=iiqqdd", kind, len(payload), done, info, seconds, float("nan")) + payload)
    if kind in (READY, ITERATE):
        receive(1)


if FAULT == "death":
    sys.exit("no licence")
if FAULT == "silence":
    time.sleep(60)
if FAULT == "garbage":
    print("Welcome to my solver!", flush=True)
os.write(1, struct.pack("=8siiii", b"ccpbench", 0x04030201 if FAULT == "byte order" else 0x01020304, 2 if FAULT == "version" else 1, len(TEXT), 0) +
         TEXT.encode())
_, _, _, contacts, rows, _, entries, _, _, _, settings, _, _, _ = struct.unpack("=8sii11q", receive(104))
kinds, lengths, mu = array("i", contacts), array("i", contacts), array("d", contacts)
row_start, column, value = array("i", rows + 1), array("i", entries), array("d", entries)
r, gamma, (omega,) = array("d", rows), array("d", rows), array("d", settings)
assert kinds == [1] * contacts and lengths == [3] * contacts
if FAULT == "cold":
    gamma = [0.0] * rows
if FAULT == "children":
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    with open("left_behind", "w", encoding="utf-8") as file:
        file.write(str(child.pid))
if FAULT == "end of range" and omega == 1.5:
    raise ZeroDivisionError("omega")
send(READY)
done, spent = 0, 0.0
while True:
    began = time.perf_counter()
    for i in range(0, rows, 3):
        u = [r[j] + sum(value[k] * gamma[column[k]] for k in range(row_start[j], row_start[j + 1])) for j in range(i, i + 3)]
        trace = sum(value[k] for j in range(i, i + 3) for k in range(row_start[j], row_start[j + 1]) if column[k] == j)
        x = [gamma[i + j] - omega / trace * u[j] for j in range(3)]
        slip, limit = (x[1]**2 + x[2]**2)**0.5, mu[i // 3] * max(x[0], 0.0)
        scale = limit / slip if slip > limit else 1.0
        gamma[i:i + 3] = [max(x[0], 0.0), x[1] * scale, x[2] * scale]
    done += 1
    if FAULT == "slow clock":
        time.sleep(0.04)
    spent += time.perf_counter() - began if FAULT != "slow clock" else 0.0
    if FAULT == "random":
        gamma[0] *= 1.0 + 1e-12 * random.random()
    if FAULT == "fast clock":
        spent += 1.0
    if FAULT == "hang" and done == 3:
        time.sleep(60)
    if FAULT == "nan" and done == 3:
        gamma[0] = float("nan")
    if FAULT == "crash" and done == 3:
        os.kill(os.getpid(), 11)
    if FAULT == "late garbage" and done == 3:
        print("iteration 3: all is well, says the user who prints to the standard output", flush=True)
    if FAULT == "false convergence" and done == 3:
        send(END, done, 0, spent, [*[0.5] * rows, done])
        sys.exit()
    if FAULT == "standstill" and done == 3:
        send(END, done, 1, spent, [*[0.0] * rows, done])
        sys.exit()
    send(ITERATE, done, 0, spent, gamma if FAULT == "too few" else [*gamma, done])
