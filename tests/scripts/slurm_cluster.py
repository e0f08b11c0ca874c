"""A Slurm cluster of one node, on this machine, with everything it writes in one folder; for the tests of slurm_sweep.sh."""

import os
import shutil
import socket
import subprocess
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sbatch", "sinfo", "scontrol")

CONFIG = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def find(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def missing():
    """Why no cluster can be started here; None when one can."""
    absent = [name for name in (*DAEMONS, *COMMANDS) if not find(name)]
    if absent:
        return f"Slurm is not installed ({', '.join(absent)} missing; Debian: slurm-wlm)"
    if os.geteuid() != 0:
        return "slurmd needs root"
    return None if os.path.ismount("/sys/fs/cgroup") else "slurmd needs a cgroup file system at /sys/fs/cgroup"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """As a context: the daemons run inside it. `environment` is what sbatch needs to find it."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}

    def start(self, *command):
        with open(self.folder / f"{os.path.basename(command[0])}.out", "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                       env={**os.environ, **self.environment})
        self.daemons.append(process)

    def __enter__(self):
        folder, host = self.folder, socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        (folder / "slurm.conf").write_text(CONFIG.format(
            folder=folder, host=host, controller=free_port(), node=free_port(), cpus=os.cpu_count()))
        # munged refuses a socket below a folder that others may write to; --force tells it that this is a test.
        self.start(find("munged"), "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}",
                   f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")
        self.wait_for(lambda: (folder / "munge.socket").exists(), "munged")
        self.start(find("slurmctld"), "-D", "-c", "-f", self.environment["SLURM_CONF"])
        self.start(find("slurmd"), "-D", "-N", host, "-f", self.environment["SLURM_CONF"])
        self.wait_for(self.idle, "the node")
        return self

    def idle(self):
        answer = subprocess.run([find("sinfo"), "--noheader", "--format=%T"], capture_output=True, text=True,
                                env={**os.environ, **self.environment}, timeout=30)
        return answer.stdout.strip() == "idle"

    def wait_for(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = "".join(f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}"
                               for log in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")]))
                self.__exit__()
                raise RuntimeError(f"{what} did not come up\n{logs}")
            time.sleep(0.2)

    def __exit__(self, *_):
        for process in reversed(self.daemons):
            process.terminate()
        for process in self.daemons:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
