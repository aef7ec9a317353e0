# SPDX-License-Identifier: MIT
"""timed.py: runs programs that take long: their CPU time is measured, and all of them can be stopped."""
import dataclasses
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

GRACE_SECONDS = 30  # from the request to stop to the kill


@dataclasses.dataclass
class Ran:
    status: int | str  # of the exit; "timeout"
    text: str
    cpu: float  # seconds, user and system, of the program and of those that it waited for


class Programs:
    """Those that run now, in any number of threads."""

    def __init__(self):
        self.is_stopped = False
        self.running = set()
        self.lock = threading.Lock()

    def stop(self):
        """Ask all of them to end, as Ctrl-C does; none starts any more."""
        with self.lock:
            self.is_stopped = True
            running = list(self.running)
        for group in running:
            send(group, signal.SIGINT)
            killer = threading.Timer(GRACE_SECONDS, self.kill_if_running, [group])
            killer.daemon = True
            killer.start()

    def kill_if_running(self, group):
        with self.lock:
            if group in self.running:
                send(group, signal.SIGKILL)

    def start(self, command, cwd, out, environment):
        with self.lock:
            if self.is_stopped:
                return None
            process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                       env={**os.environ, **(environment or {})}, start_new_session=True)
            self.running.add(process.pid)
            return process

    def call(self, log, command, cwd, environment=None, seconds=None):
        """Run a command whose output goes to the file `log`; None if all are stopped."""
        is_late = threading.Event()

        def end():
            is_late.set()
            self.kill_if_running(process.pid)

        with open(log, "wb") as out:
            process = self.start(command, cwd, out, environment)
            if process is None:
                return None
            clock = threading.Timer(seconds or threading.TIMEOUT_MAX, end)
            clock.daemon = True
            clock.start()
            _, status, usage = os.wait4(process.pid, 0)
            clock.cancel()
            with self.lock:
                self.running.discard(process.pid)
            process.returncode = os.waitstatus_to_exitcode(status)
        with open(log, encoding="utf-8", errors="replace") as said:
            return Ran("timeout" if is_late.is_set() else process.returncode, said.read(),
                       usage.ru_utime + usage.ru_stime)


programs = Programs()


def send(group, number):
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass


# --- Selftest -------------------------------------------------------------------------------------


def timed_selftest():
    """What is wrong with this file."""
    shell = ["/bin/sh", "-c"]
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        ran = Programs().call(log, [*shell, "echo said; exit 3"], folder)
        if (ran.status, ran.text) != (3, "said\n"):
            yield f"a program ended so: {ran}"
        late = Programs().call(log, [*shell, "echo said; sleep 1000"], folder, seconds=0.5)
        if late.status != "timeout":
            yield f"a program that takes too long ended so: {late}"
        busy = Programs().call(log, [sys.executable, "-c", "import time\nwhile time.process_time() < 0.2: pass"], folder)
        if not 0.2 <= busy.cpu < 20:
            yield f"a program that works for 0.2 s took {busy.cpu} s"
        programs, rans = Programs(), []
        caller = threading.Thread(target=lambda: rans.append(programs.call(
            log, [*shell, "trap 'echo asked; exit 5' INT; echo ready; while :; do sleep 0.01; done"], folder)))
        caller.start()
        while not os.path.exists(log) or os.stat(log).st_size == 0:
            time.sleep(0.01)
        programs.stop()
        caller.join()
        if (rans[0].status, rans[0].text) != (5, "ready\nasked\n"):
            yield f"a program that is to stop ended so: {rans[0]}"
        if programs.call(log, shell, folder) is not None:
            yield "a program starts though all are stopped"
