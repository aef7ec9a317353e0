#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""logistic_killed.py: examples/logistic.c learns, and learns the same if it is killed.

    logistic_killed.py LOGISTIC DATAVIEW

Its loss falls.  Killed by SIGKILL in the middle of epochs and started again, it continues with the
batch after the last one in its state, the identical one, and ends with the state and the weights of
a run that was not killed, bit for bit.
"""
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

LOGISTIC, DATAVIEW = sys.argv[1:3]
ROWS, BATCH, EPOCHS, SAVED_EVERY = 2000, 16, 4, 16
PIPE_NBYTES = 4096  # less than what a run traces after the batches that are read


def write_table(folder):
    """Two clouds of points, in text; and the same as .idv, raw and deflated."""
    draw = random.Random(7)
    lines = ["#@ TextLoader{header+ sep=tab col=Label:BL:0 col=A:R4:1 col=Features:R4:2-4}",
             "Label\tA\tx\ty\tz"]
    for _ in range(ROWS):
        label = draw.randrange(2)
        values = [draw.gauss(label - 0.5, 1) for _ in range(4)]
        lines.append("\t".join([str(label), *(f"{v:.6g}" for v in values)]))
    text = folder / "train.tsv"
    text.write_text("\n".join(lines) + "\n")
    for name, options in ("raw.idv", []), ("deflated.idv", ["--compression", "deflate", "--rows-per-block", "64"]):
        subprocess.run([DATAVIEW, "convert", "--quiet", *options, text, folder / name], check=True)
    return [folder / "raw.idv", folder / "deflated.idv", text]


def start(table, state):
    command = [LOGISTIC, table, "--state", state, "--trace", "--batch", str(BATCH), "--epochs",
               str(EPOCHS)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0, pipesize=PIPE_NBYTES)


def finish(process):
    lines = process.stdout.read().decode().splitlines()
    if process.wait() != 0:
        sys.exit(f"exit status {process.returncode}")
    return lines


def batches(lines):
    return [line for line in lines if line.startswith("batch ")]


def check(holds, what):
    if not holds:
        sys.exit(f"not so: {what}")


def check_whole(lines):
    losses = [float(line.split()[-1]) for line in lines if line.startswith("epoch ")]
    check(len(losses) == EPOCHS, f"{EPOCHS} epochs")
    check(all(a > b for a, b in zip(losses, losses[1:])), f"the loss falls: {losses}")
    check(losses[-1] < 0.5, f"something was learnt: {losses}")
    of_epoch = (ROWS + BATCH - 1) // BATCH
    check(len(batches(lines)) == EPOCHS * of_epoch, "every row, every epoch")
    digests = [line.split()[-1] for line in batches(lines)]
    check(len(set(digests)) == len(digests), "another order each epoch")


def check_killed(table, state, whole, after):
    """Let it trace so many batches, kill it, let it end.  Returns where it went on.

    It cannot end before: its pipe is full, and only the lines of these batches are read from it."""
    process = start(table, state)
    for _ in range(after):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.stdout.read()
    check(process.wait() == -signal.SIGKILL, "it was killed")
    rest = finish(start(table, state))
    seen = batches(rest)
    first = int(seen[0].split()[1])
    check(first % SAVED_EVERY == 0, "it goes on where it was saved")
    check(first >= (after - EPOCHS) // SAVED_EVERY * SAVED_EVERY, "and no earlier")
    check(seen == batches(whole)[first:], f"identical batches from {first} on")
    check(rest[-5:] == whole[-5:], "identical weights")
    return first


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for table in write_table(folder):
            state = folder / f"{table.name}.state"
            whole = finish(start(table, state))
            check_whole(whole)
            saved = state.read_bytes()
            batches = set()
            for after in 1, 20, 50, 70, 131, 200:
                state.unlink()
                batches.add(check_killed(table, state, whole, after))
                check(state.read_bytes() == saved, "identical state at the end")
            check(len(batches) >= 4, f"killed at different batches: {sorted(batches)}")
            print(f"{table.name}: continued at batch {sorted(batches)}, same weights each time")


if __name__ == "__main__":
    main()
