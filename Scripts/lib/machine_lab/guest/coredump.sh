# SPDX-License-Identifier: Apache-2.0
# systemd-coredump as it comes: a report of each core that it stores, made by the service with its filters; then the kernel's
# cores straight to dump-convert core-pipe.
. /lab/say.sh

check "install" bash -ec "$(cat steps/install)"
install -m 755 /lab/daemon /usr/local/bin/shopd
check "cores go to systemd-coredump" prints systemd-coredump cat /proc/sys/kernel/core_pattern
echo 'coredumps = yes' >/etc/epitaph/epitaph.conf.d/cores.conf
check "the configuration is right" dump-convert config check
check "the service reads it" systemctl reload-or-restart epitaph

crash() { # USER
    setpriv --reuid="$1" --regid="$1" --clear-groups /usr/local/bin/shopd now
    [ $? -gt 128 ]
}
reports() { dump-convert list --database "/var/lib/epitaph/users/$1" 2>/dev/null | grep -c shopd; }
has() { [ "$(reports "$1")" = "$2" ]; }
# The attribute is set when the report has been made.
noted() { [ -n "$(mark "$1")" ]; }
mark() {
    python3 - "$1" <<'END'
import glob, os, sys
for path in glob.glob(f"/var/lib/systemd/coredump/core.shopd.{sys.argv[1]}.*"):
    if "user.epitaph.report" in os.listxattr(path):
        print(os.getxattr(path, "user.epitaph.report").decode())
END
}
check "a program of root's crashes" crash 0
check "systemd-coredump has the core" eventually prints 'SIGSEGV.*present.*shopd' coredumpctl list --no-pager
check "the service makes a report of it" eventually has 0 1
check "which tells where" prints '#0 .*parse_header' dump-convert show --database /var/lib/epitaph/users/0
check "and knows of nothing that is missing" prints 'Damage: none is known' dump-convert show --database /var/lib/epitaph/users/0
check "the core names the report" eventually noted 0
# Of a system's user systemd-coredump lets nobody but root read the core.
check "a user's program crashes" crash 1000
check "and its report is the user's" eventually has 1000 1
check "who can read it" setpriv --reuid=1000 --regid=1000 --clear-groups dump-convert show --database /var/lib/epitaph/users/1000
check "no core is reported twice" bash -c "systemctl restart epitaph; sleep 5; $(declare -f reports has); has 0 1 && has 1000 1"

check "nobody reports what Epitaph has reported" bash -c \
    'dump-convert run --database /var/lib/epitaph/shopd -- /usr/local/bin/shopd now; sleep 1; true'
one_of() { dump-convert list --database /var/lib/epitaph/shopd | grep -c SIGSEGV | grep -qx 1 && [ "$(mark 0 | grep -c .)" = 2 ]; }
check "its core has the mark as well" eventually one_of
check "and root's database still has one" has 0 1

rm /etc/epitaph/epitaph.conf.d/cores.conf
systemctl reload epitaph
# Everything that Scripts/core-pipe checks elsewhere, on a kernel of its own with cgroup v2 and its real first mount namespace.
mkdir /lab/tools
cp /usr/bin/dump-convert /lab/crash /lab/tools
cp /lab/victim /lab/tools/CEpitaphVictim
check "Scripts/core-pipe" bash -c 'cd /lab && Scripts/core-pipe --tools /lab/tools'
finish
