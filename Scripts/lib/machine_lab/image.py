# SPDX-License-Identifier: Apache-2.0
"""Debian machines: a file system, a kernel and its initial ramdisk, made once and kept."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

SUITE = "bookworm"
MIRROR = "http://deb.debian.org/debian"

# What every machine has: process 1, and what docs/operators.md and the parts use. The network of the machine is its
# loopback, so what the packages need is there before they are installed.
PACKAGES = (
    "systemd-sysv", "udev", "dbus", "systemd-coredump", "procps", "python3", "gdb", "e2fsprogs", "xfsprogs", "btrfs-progs",
    "nginx-light", "strace", "adduser", "libstdc++6", "zlib1g", "libcurl4", "libdw1", "libunwind8", "libdeflate0", "liblzma5",
    "libcapstone4", "ca-certificates", "libc6-dbg",
)

# What a ramdisk needs to find the root. Most modules, the default, would take a machine's emulated processor half an hour.
RAMDISK_MODULES = ("virtio_pci", "virtio_blk", "ext4", "crc32c_generic")

# The script on the second disk is run when the machine is up. What it says goes to the port, everything else to the console,
# which the host keeps. A script that dies without its last word has failed.
UNIT = """\
[Unit]
Description=What the lab wants to know
After=multi-user.target

[Service]
Type=exec
Environment=HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=dumb
WorkingDirectory=/
StandardOutput=file:/dev/console
StandardError=file:/dev/console
# A machine that runs out of memory has its say.
OOMScoreAdjust=-1000
ExecStart=/bin/sh -c 'mkdir -p /lab && tar -xf /dev/disk/by-id/virtio-lab-in -C /lab; bash /lab/start; \
    echo end 1 >/dev/virtio-ports/lab; sync; systemctl poweroff --force'

[Install]
WantedBy=multi-user.target
"""


class Failure(Exception):
    """What keeps the lab from working, in words for whoever started it."""


class Architecture:
    def __init__(self, name, debian, emulator, machine, console, kernels):
        self.name = name
        self.debian = debian
        self.emulator = emulator
        self.machine = machine
        self.console = console
        # The flavours of Debian's kernel, the usual one first.
        self.kernels = kernels


X86_64 = Architecture("x86_64", "amd64", "qemu-system-x86_64", "q35", "ttyS0", ("cloud-amd64",))
# With memory for tags (MTE). The kernel with pages of 16 KiB is in the backports alone.
AARCH64 = Architecture("aarch64", "arm64", "qemu-system-aarch64", "virt,mte=on", "ttyAMA0", ("cloud-arm64", "arm64-16k"))


class Image:
    """A machine's files in the cache. Their name is made of what they are made of."""

    def __init__(self, architecture, cache):
        self.architecture = architecture
        recipe = repr((SUITE, PACKAGES, UNIT, architecture.debian, architecture.kernels, RAMDISK_MODULES))
        self.directory = pathlib.Path(cache, f"{architecture.name}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}")
        self.root = self.directory / "root.ext4"

    def kernel(self, flavour):
        return self.directory / f"vmlinuz-{flavour}"

    def ramdisk(self, flavour):
        return self.directory / f"initrd.img-{flavour}"

    @property
    def is_built(self):
        # All files come there at once.
        return self.root.exists()

    def build(self, log):
        if os.geteuid() != 0:
            raise Failure("making a machine needs root: mmdebstrap and its chroot")
        needed = ["mmdebstrap", "mkfs.ext4", self.architecture.emulator]
        foreign = os.uname().machine != self.architecture.name
        needed += [f"qemu-{self.architecture.name}-static", "arch-test"] if foreign else []
        for tool in needed:
            if not shutil.which(tool):
                raise Failure(f"there is no {tool}; Scripts/setup lab installs it")
        self.directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.directory.parent, prefix="making-") as work:
            tree, made = pathlib.Path(work, "tree"), pathlib.Path(work, "made")
            made.mkdir()
            kernels = [f"linux-image-{flavour}" for flavour in self.architecture.kernels]
            command = ["mmdebstrap", "--variant=minbase", f"--architectures={self.architecture.debian}",
                       f"--essential-hook={ramdisk_hook()}", "--aptopt=Acquire::Retries \"5\"", "--dpkgopt=path-exclude=/usr/share/man/*",
                       f"--include={','.join([*kernels, *PACKAGES])}", SUITE, str(tree),
                       *(f"deb {MIRROR} {suite} main" for suite in (SUITE, f"{SUITE}-backports"))]
            run(with_binfmt(command, self.architecture) if foreign else command, log)
            self.furnish(tree)
            root = made / "root.ext4"
            with open(root, "wb") as file:
                file.truncate(3 << 30)
            run(["mkfs.ext4", "-q", "-L", "lab-root", "-d", str(tree), str(root)], log)
            for flavour in self.architecture.kernels:
                shutil.copyfile(next(tree.glob(f"boot/vmlinuz-*-{flavour}")), made / f"vmlinuz-{flavour}")
                shutil.copyfile(next(tree.glob(f"boot/initrd.img-*-{flavour}")), made / f"initrd.img-{flavour}")
            for old in self.directory.parent.glob(f"{self.architecture.name}-*"):
                shutil.rmtree(old)
            made.rename(self.directory)

    @staticmethod
    def furnish(tree):
        (tree / "etc/systemd/system/machine-lab.service").write_text(UNIT)
        wants = tree / "etc/systemd/system/multi-user.target.wants"
        wants.mkdir(exist_ok=True)
        (wants / "machine-lab.service").symlink_to("/etc/systemd/system/machine-lab.service")
        (tree / "etc/fstab").write_text("")
        (tree / "etc/hostname").write_text("lab\n")
        (tree / "etc/hosts").write_text("127.0.0.1 localhost lab\n")
        # Entries that a crash of the machine would lose are synchronised at once; nobody logs in.
        for unit in ("getty.target", "apt-daily.timer", "apt-daily-upgrade.timer", "nginx.service", "man-db.timer",
                     "dpkg-db-backup.timer", "e2scrub_all.timer", "fstrim.timer", "xfs_scrub_all.timer"):
            masked = tree / "etc/systemd/system" / unit
            if unit == "nginx.service":
                (wants / unit).unlink(missing_ok=True)
            elif not masked.exists():
                masked.symlink_to("/dev/null")


def ramdisk_hook():
    """What mmdebstrap does to the tree before it installs a kernel: initramfs.conf(5)."""
    return ('mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/usr/share/initramfs-tools/modules.d" && '
            'echo MODULES=list >"$1/etc/initramfs-tools/conf.d/lab" && '
            f'printf "%s\\n" {" ".join(RAMDISK_MODULES)} >"$1/usr/share/initramfs-tools/modules.d/lab"')


def with_binfmt(command, architecture):
    """The kernel runs another architecture's programs with QEMU while this goes on, in a namespace of mounts."""
    entry = f"/usr/lib/binfmt.d/qemu-{architecture.name}.conf"
    script = ("mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc\n"
              f"name=/proc/sys/fs/binfmt_misc/qemu-{architecture.name}\n"
              f"if ! [ -e $name ]; then cat {entry} >/proc/sys/fs/binfmt_misc/register; trap 'echo -1 >$name' EXIT; fi\n"
              '"$@"')
    return ["unshare", "--mount", "bash", "-euc", script, "bash", *command]


def run(command, log):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    if result.returncode != 0:
        raise Failure(f"{command[0]} ended with {result.returncode}; {log.name} has what it said")
