"""A Slurm cluster of one host, two nodes and no systemd, alive as long as its ``with`` block.

Everything it writes is in one folder; every process it starts carries that folder's path in its environment, by
which left-overs are found.
"""

import contextlib
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

CPUS = 4
"""Cores each node claims to have, whatever the host has: a job must fit to be started."""

SLURM_CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
# No cgroups and no accounting: neither is to be had in a container.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
# Nothing waits longer than it must.
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0,bf_interval=2
KillWait=5
# The nodes are what this file says, not what the host is.
SlurmdParameters=config_overrides
ReturnToService=2
EnforcePartLimits=ALL
# Finished jobs stay visible, to be asked about at the end.
MinJobAge=3600
GresTypes=gpu
NodeName=plain NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cpus} RealMemory=16000
NodeName=gpu NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cpus} RealMemory=16000 Gres=gpu:2
PartitionName=main Nodes=plain,gpu Default=YES MaxTime=600 State=UP
"""

# Devices that exist on every Linux: Slurm only looks that they are there.
GRES_CONF = "NodeName=gpu Name=gpu File=/dev/null\nNodeName=gpu Name=gpu File=/dev/zero\n"


class Cluster:
    """Start with ``with Cluster(folder) as cluster``; commands for it need ``cluster.environment``.

    Other users must be able to enter the folders above ``folder``, or munged refuses to start.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._daemons: list[subprocess.Popen] = []
        self._users: list[subprocess.Popen] = []
        wrappers = folder / "bin"
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("SLURM_", "SBATCH_"))
            },
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": os.pathsep.join([str(wrappers), os.environ["PATH"]]),
        }

    def __enter__(self) -> "Cluster":
        try:
            self.folder.mkdir()
            self._write_files()
            self._start("munged", "-F", *self._munge_options())
            self._wait(lambda: (self.folder / "munge.socket").exists(), "munged opens its socket")
            self._start("slurmctld", "-D")
            self._start("slurmd", "-D", "-N", "plain")
            self._start("slurmd", "-D", "-N", "gpu")
            self._wait(lambda: self._node_states() == ["idle", "idle"], "both nodes are idle")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def command(self, *command: str) -> str:
        """What a Slurm command prints."""
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=30, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def start(self, command: list[str], folder: Path, output: Path) -> subprocess.Popen:
        """Start a user's command in ``folder``; it ends with the cluster at the latest."""
        # The folder's own package must run, not the installed one.
        environment = {name: value for name, value in self.environment.items() if name != "PYTHONPATH"}
        with output.open("ab") as out:
            process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=out)
        self._users.append(process)
        return process

    def stop(self) -> None:
        """End every user, job and daemon; safe to call again."""
        # Users first, or they submit again what is cancelled.
        for user in self._users:
            user.kill()
            user.wait()
        self._users.clear()
        if self._daemons:
            try:
                self.command("scancel", "--user", "root")
                self._wait(lambda: not self.command("squeue", "-h").strip(), "the jobs end", seconds=15)
            except Exception as error:
                print(f"jobs could not be cancelled in peace: {error}")
        # The controller first, so that it does not mourn its nodes; munged last, the others speak through it.
        for daemon in [*self._daemons[1:], *self._daemons[:1]]:
            _end(daemon)
        self._daemons.clear()
        for process in self.left_over():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._wait(lambda: not self.left_over(), "what is left of the cluster ends", seconds=15)

    def left_over(self) -> list[int]:
        """Processes that still run with this cluster's configuration, daemons, job steps and jobs alike."""
        mark = f"SLURM_CONF={self.folder}/".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes():
                    found.append(int(process.name))
            except OSError:  # it ended meanwhile
                continue
        return found

    def _write_files(self) -> None:
        host = socket.gethostname().split(".")[0]
        text = SLURM_CONF.format(host=host, folder=self.folder, ports=_free_ports(3), cpus=CPUS)
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "gres.conf").write_text(GRES_CONF)
        for name in ("state", "spool-plain", "spool-gpu", "bin"):
            (self.folder / name).mkdir()
        # munged refuses a socket that others cannot reach, and a key that they can read.
        self.folder.chmod(0o755)
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        # The plugin strips SLURM_CONF from the environment of a job's `srun`.
        srun = self.folder / "bin" / "srun"
        real = shutil.which("srun")
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {real} "$@"\n')
        srun.chmod(0o755)

    def _munge_options(self) -> list[str]:
        places = {"socket": "munge.socket", "key-file": "munge.key", "pid-file": "munge.pid"}
        places |= {"log-file": "munge.log", "seed-file": "munge.seed"}
        return [f"--{option}={self.folder / name}" for option, name in places.items()]

    def _start(self, program: str, *options: str) -> None:
        # A session of its own: Ctrl-C reaches the test, which then ends the daemons in order.
        with (self.folder / f"{program}.out").open("ab") as out:
            self._daemons.append(
                subprocess.Popen(
                    [program, *options], env=self.environment, stdout=out, stderr=out, start_new_session=True
                )
            )

    def _node_states(self) -> list[str]:
        try:
            return self.command("sinfo", "-h", "-N", "-o", "%T").split()
        except (RuntimeError, subprocess.TimeoutExpired):  # the controller does not answer yet
            return []

    def _wait(self, condition, what: str, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                logs = "\n".join(
                    _tail(log) for log in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")])
                )
                raise TimeoutError(f"waited {seconds} s in vain until {what}\n{logs}")
            time.sleep(0.2)


def _end(daemon: subprocess.Popen) -> None:
    daemon.terminate()
    try:
        daemon.wait(timeout=10)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def _free_ports(count: int) -> list[int]:
    # Below those that the system gives to whoever asks for any: nobody gets one until the daemons have it.
    first_given = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = []
    for port in random.sample(range(max(1024, first_given - 10_000), first_given), k=1000):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            ports.append(port)
        if len(ports) == count:
            return ports
    raise RuntimeError(f"no {count} free ports below {first_given}")


def _tail(log: Path, lines: int = 10) -> str:
    return "\n".join([f"--- {log.name}", *log.read_text(errors="replace").splitlines()[-lines:]])
