# SPDX-License-Identifier: Apache-2.0
"""Starts a machine with QEMU, gives it a script to run, and hears what the script says."""

import io
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import threading
import time

from .image import Failure

# The emulation of an x86_64 processor keeps the timer interrupt late enough for the kernel to stop at its test of it.
KERNEL_OPTIONS = "rw panic=-1 no_timer_check net.ifnames=0 quiet loglevel=4 systemd.show_status=0"
# What a script says last: docs of `guest/say.sh`.
END = re.compile(r"end (\d+)")
# Some emulated boots stop in the initial ramdisk, with all processors asleep. One that says nothing for so long is begun
# again.
UP_S = 120
MOST_BOOTS = 3


class Words:
    """What the machine's script said, a line each, as it comes."""

    def __init__(self):
        self.lines = []

    @property
    def end(self):
        found = [END.fullmatch(line) for line in self.lines]
        return next((int(match[1]) for match in found if match), None)

    @property
    def failures(self):
        return [line for line in self.lines if line.startswith("FAILED: ")]


class Disk:
    """A disk of the machine, /dev/disk/by-id/virtio-NAME. With a log, all that is written to it in its order."""

    def __init__(self, name, path, bytes=0, log=None):
        self.name = name
        self.path = pathlib.Path(path)
        self.log = log
        if bytes:
            with open(self.path, "wb") as file:
                file.truncate(bytes)
        if log:
            pathlib.Path(log).write_bytes(b"")

    def options(self):
        # Synchronised when the machine synchronises. What it wrote is in the file, or in the page cache of the host.
        node = f"driver=raw,node-name={self.name},file.driver=file,file.filename={self.path},discard=ignore"
        found = ["-blockdev", node]
        if self.log:
            found += ["-blockdev", f"driver=blklogwrites,node-name={self.name}-log,file={self.name},"
                                   f"log.driver=file,log.filename={self.log}"]
        node = f"{self.name}-log" if self.log else self.name
        # Merged requests can have as many pieces as writev(2) takes, and the log of a write has two more.
        switched_off = "discard=off,write-zeroes=off,request-merging=off"
        return [*found, "-device", f"virtio-blk-pci,drive={node},serial={self.name},{switched_off}"]


class Machine:
    def __init__(self, image, work, memory_mb=1024, processors=4, kernel=None, options=()):
        self.image = image
        self.kernel = kernel or image.architecture.kernels[0]
        self.work = pathlib.Path(work)
        self.memory_mb = memory_mb
        self.processors = processors
        self.options = list(options)
        # Everything on the console, of all boots.
        self.console = self.work / "console.log"

    def boot(self, files, disks=(), deadline_s=300, heard=lambda line: None, kill_when=lambda words: False):
        """Runs `files["start"]` in the machine, with the other files beside it in /lab. Ends when the machine powers
        off, when `kill_when` says so, which is a power cut, or at the deadline."""
        port = self.work / "port"
        port.write_bytes(b"")
        archive = self.work / "in.tar"
        write_archive(archive, files)
        # The root is never changed: what the machine writes to it is in a file without a name.
        options = [
            "-machine", self.image.architecture.machine, "-accel", "tcg,thread=multi", "-cpu", "max",
            "-smp", str(self.processors), "-m", str(self.memory_mb), "-nographic", "-nodefaults", "-no-reboot", "-nic", "none",
            "-kernel", str(self.image.kernel(self.kernel)), "-initrd", str(self.image.ramdisk(self.kernel)),
            "-append", f"root=LABEL=lab-root console={self.image.architecture.console} {KERNEL_OPTIONS}",
            "-chardev", f"file,id=console,path={self.console},append=on", "-serial", "chardev:console",
            "-drive", f"if=virtio,format=raw,file={self.image.root},snapshot=on,cache=unsafe",
            *Disk("lab-in", archive).options(),
            "-device", "virtio-serial-pci", "-chardev", f"file,id=port,path={port}",
            "-device", "virtserialport,chardev=port,name=lab",
        ]
        for disk in disks:
            options += disk.options()
        emulator = shutil.which(self.image.architecture.emulator)
        if not emulator:
            raise Failure(f"there is no {self.image.architecture.emulator}; Scripts/setup lab installs it")
        for left in reversed(range(MOST_BOOTS)):
            words = Words()
            port.write_bytes(b"")
            with open(self.work / "qemu.log", "ab") as log:
                process = subprocess.Popen(["nice", emulator, *options, *self.options], stdin=subprocess.DEVNULL,
                                           stdout=log, stderr=log, cwd=self.work)
                try:
                    self.listen(process, port, words, time.monotonic() + deadline_s, heard, kill_when)
                finally:
                    process.kill()
                    process.wait()
            if words.lines or not left:
                break
            heard("the machine did not come up, and is started again")
        return words

    def listen(self, process, port, words, deadline, heard, kill_when):
        began = time.monotonic()
        with open(port, errors="replace") as said:
            rest = ""
            while True:
                is_over = process.poll() is not None
                rest += said.read()
                *lines, rest = rest.split("\n")
                for line in lines:
                    words.lines.append(line)
                    heard(line)
                if is_over:
                    if process.returncode != 0:
                        raise Failure(f"QEMU ended with {process.returncode}; see {self.work / 'qemu.log'}")
                    return
                if kill_when(words) or not words.lines and time.monotonic() > began + UP_S:
                    return
                if time.monotonic() > deadline:
                    words.lines.append("FAILED: the machine was not ready at its deadline")
                    heard(words.lines[-1])
                    return
                time.sleep(0.05)


def write_archive(path, files):
    """Texts, and files of this machine, below their names."""
    with tarfile.open(path, "w") as archive:
        for name, content in files.items():
            if isinstance(content, str):
                entry = tarfile.TarInfo(name)
                data = content.encode()
                entry.size, entry.mode = len(data), 0o755
                archive.addfile(entry, io.BytesIO(data))
            else:
                archive.add(pathlib.Path(content).resolve(), name)
    with open(path, "ab") as file:
        # Whole sectors.
        file.truncate(-(-file.tell() // 4096) * 4096)
