"""check_symbols.py NM OBJECT...: whether the objects define no symbols for others but the tables of their instruction set."""

import re
import subprocess
import sys

TABLE = re.compile(r"ccp::(portable|avx2|avx512)::(\w+_loops|table)$")

nm, *objects = sys.argv[1:]
tables, breaches = set(), []
for path in objects:
    listed = subprocess.run([nm, "-C", "--defined-only", "--extern-only", path], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        kind, name = line.split(None, 2)[1:]
        if kind in "DR" and TABLE.match(name):
            tables.add(name)
        elif name.startswith("__odr_asan.") or name == "DW.ref.__gxx_personality_v0":
            continue  # how a sanitizer marks a table and unwinds: no code
        else:
            breaches.append(f"{path}: {kind} {name}")
print("\n".join(breaches))
print(f"{len(objects)} objects, {len(tables)} tables")
sys.exit(bool(breaches) or len(tables) != len(objects))
