"""What an adapter in Python brings into memory before its solver is timed."""

import mmap
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVICE = ROOT / "lib/peers/adapters/service.py"

# Page faults of writing to 8 MB of the heap, after make_pages_resident or without it.
FAULTS = """
import ctypes, resource, runpy, sys
service = runpy.run_path(sys.argv[1])
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
if sys.argv[2] == "resident":
    service["make_pages_resident"](())
block = libc.malloc(ctypes.c_size_t(8 << 20))
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
ctypes.memset(block, 1, 8 << 20)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


class PeerHeap(unittest.TestCase):
    def faults(self, how):
        return int(subprocess.run([sys.executable, "-c", FAULTS, SERVICE, how], capture_output=True, text=True, check=True).stdout)

    def test_a_peer_finds_as_much_in_memory_as_our_methods(self):
        ours = re.search(r"resident_heap = std::size_t\{(\d+)\} << 20U", (ROOT / "lib/core/resident_heap.hpp").read_text(encoding="utf-8"))
        peers = re.search(r"^RESIDENT_HEAP = (\d+) << 20", SERVICE.read_text(encoding="utf-8"), re.M)
        self.assertEqual(ours[1], peers[1])

    def test_writing_to_it_costs_no_page_faults(self):
        try:
            mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE).madvise(23)
        except OSError:
            self.skipTest("this system cannot populate mappings")
        if self.faults("cold") < 1000:
            self.skipTest("pages are huge here")
        self.assertLess(self.faults("resident"), 100)


if __name__ == "__main__":
    unittest.main()
